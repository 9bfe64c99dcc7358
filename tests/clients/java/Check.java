package client;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/** Expectations. Each throws an AssertionError that says what is missing. */
final class Check {
  static void equal(Object actual, Object expected) {
    if (!Objects.deepEquals(actual, expected)) throw new AssertionError("expected " + brief(expected) + ", got " + brief(actual));
  }

  static void that(boolean condition, String what) {
    if (!condition) throw new AssertionError("not so: " + what);
  }

  /** Expects that the text has all of these words. */
  static void has(String text, String... words) {
    for (String word : words) that(text.contains(word), "'" + word + "' in: " + brief(text));
  }

  /** Expects a gRPC error of that code, whose text has all of these words. Returns the error. */
  static StatusRuntimeException fails(Status.Code code, Callable<?> call, String... words) throws Exception {
    try {
      call.call();
    } catch (StatusRuntimeException | StatusException | ExecutionException error) {
      Status status = Status.fromThrowable(error);
      if (status.getCode() != code) throw new AssertionError("expected " + code + ", got " + error);
      has(String.valueOf(status.getDescription()), words);
      return new StatusRuntimeException(status, Status.trailersFromThrowable(error));
    }
    throw new AssertionError("expected " + code + ", and it succeeded");
  }

  private static String brief(Object value) {
    String text = value instanceof byte[] bytes ? bytes.length + " bytes " + Arrays.toString(Arrays.copyOf(bytes, Math.min(bytes.length, 40)))
        : value instanceof Object[] array ? Arrays.deepToString(array) : String.valueOf(value);
    return text.length() <= 400 ? text : text.substring(0, 400) + "...";
  }
}
