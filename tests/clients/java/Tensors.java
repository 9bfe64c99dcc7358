package client;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sample elements of every datatype: its limits, signed zeros, values that are exact in 16 bits. */
final class Tensors {
  /** The elements as raw tensor, and in JSON. */
  record Sample(byte[] raw, String json) {}

  static final Map<String, Sample> SAMPLES = new LinkedHashMap<>();
  static final List<String> TEXTS = List.of("", "a", "gr\u00fc\u00dfe \ud83d\ude00", "nul \0 inside", "\t\"quoted\"\\", "x".repeat(70000));

  private static void integers(String datatype, int size, String... elements) {
    ByteBuffer raw = little(elements.length * size);
    for (String element : elements) {
      long value = element.startsWith("-") ? Long.parseLong(element) : Long.parseUnsignedLong(element);
      for (int i = 0; i < size; ++i) raw.put((byte) (value >> 8 * i));
    }
    SAMPLES.put(datatype, new Sample(raw.array(), String.join(",", elements)));
  }

  static {
    SAMPLES.put("BOOL", new Sample(new byte[] {1, 0, 1, 1, 0, 0}, "true,false,true,true,false,false"));
    integers("INT8", 1, "-128", "127", "0", "1", "126", "100");
    integers("INT16", 2, "-32768", "32767", "0", "1", "32766", "100");
    integers("INT32", 4, "-2147483648", "2147483647", "0", "1", "2147483646", "100");
    integers("INT64", 8, "-9223372036854775808", "9223372036854775807", "0", "1", "9007199254740993", "100");
    integers("UINT8", 1, "0", "255", "0", "1", "254", "100");
    integers("UINT16", 2, "0", "65535", "0", "1", "65534", "100");
    integers("UINT32", 4, "0", "4294967295", "0", "1", "4294967294", "100");
    integers("UINT64", 8, "0", "18446744073709551615", "0", "1", "9007199254740993", "100");
    SAMPLES.put("FP32", new Sample(floats(0f, -0f, 1.5f, Float.MAX_VALUE, Float.MIN_VALUE, 0.1f), "0.0,-0.0,1.5,3.4028235e38,1.4e-45,0.1"));
    ByteBuffer doubles = little(48);
    for (double value : new double[] {0., -0., 1.5, Double.MAX_VALUE, Double.MIN_VALUE, 0.1}) doubles.putDouble(value);
    SAMPLES.put("FP64", new Sample(doubles.array(), "0.0,-0.0,1.5,1.7976931348623157e308,4.9e-324,0.1"));
    SAMPLES.put("FP16", new Sample(shorts(0, 0x8000, 0x3e00, 0xc080, 0x7750, 0x0400), "0.0,-0.0,1.5,-2.25,29952,6.103515625e-05"));
    SAMPLES.put("BF16", new Sample(shorts(0, 0x8000, 0x3fc0, 0xc010, 0x46ea, 0x3880), "0.0,-0.0,1.5,-2.25,29952,6.103515625e-05"));
    SAMPLES.put("BYTES", new Sample(packBytes(TEXTS.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList()), null));
  }

  static ByteBuffer little(int size) { return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN); }

  static byte[] ints(int... values) {
    ByteBuffer raw = little(4 * values.length);
    raw.asIntBuffer().put(values);
    return raw.array();
  }

  static byte[] floats(float... values) {
    ByteBuffer raw = little(4 * values.length);
    raw.asFloatBuffer().put(values);
    return raw.array();
  }

  private static byte[] shorts(int... values) {
    ByteBuffer raw = little(2 * values.length);
    for (int value : values) raw.putShort((short) value);
    return raw.array();
  }

  /** Returns the raw tensor of BYTES elements, each after its length. */
  static byte[] packBytes(List<byte[]> elements) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    for (byte[] element : elements) {
      packed.writeBytes(ints(element.length));
      packed.writeBytes(element);
    }
    return packed.toByteArray();
  }

  static List<byte[]> unpackBytes(byte[] packed) {
    List<byte[]> elements = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
    while (rest.hasRemaining()) {
      byte[] element = new byte[rest.getInt()];
      rest.get(element);
      elements.add(element);
    }
    return elements;
  }

  // The example model `simple`: OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1.
  static final List<Integer> COUNTING = IntStream.range(0, 16).boxed().toList();
  static final List<Integer> ONES = COUNTING.stream().map(value -> 1).toList();
  static final List<Integer> SUMS = COUNTING.stream().map(value -> value + 1).toList();
  static final List<Integer> DIFFERENCES = COUNTING.stream().map(value -> value - 1).toList();

  static byte[] raw(List<Integer> values) { return ints(values.stream().mapToInt(Integer::intValue).toArray()); }

  static List<Integer> intsOf(ByteString raw) {
    ByteBuffer buffer = raw.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    return IntStream.range(0, raw.size() / 4).mapToObj(i -> buffer.getInt(4 * i)).collect(Collectors.toList());
  }
}
