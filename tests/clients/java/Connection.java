package client;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** gRPC connections, and streams that are read like queues. */
final class Connection {
  interface Test {
    void run(ManagedChannel channel, Main.Target target) throws Exception;
  }

  /** Makes a case of a test with a channel. Messages may have any size; the default limit of received messages is 4 MiB. */
  static Main.Case with(Test test) { return with(Integer.MAX_VALUE, test); }

  static Main.Case with(int receivedMax, Test test) {
    return target -> {
      NettyChannelBuilder builder = NettyChannelBuilder.forTarget(target.address()).maxInboundMessageSize(receivedMax);
      Map<String, String> files = target.files();
      if (files.containsKey("authority")) {
        SslContextBuilder context = GrpcSslContexts.forClient().trustManager(new File(files.get("authority")));
        if (files.containsKey("certificate")) context.keyManager(new File(files.get("certificate")), new File(files.get("key")));
        builder.sslContext(context.build());
      } else {
        builder.usePlaintext();
      }
      ManagedChannel channel = builder.build();
      try {
        test.run(channel, target);
      } finally {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      }
    };
  }

  /** What a call sent: messages, then null, or an error. Give it to a stub's method, which sets `requests`. */
  static final class Reader<Q, A> implements ClientResponseObserver<Q, A> {
    private record Event<A>(A message, Throwable error) {}

    private final BlockingQueue<Event<A>> events = new LinkedBlockingQueue<>();
    private final boolean oneByOne;
    ClientCallStreamObserver<Q> requests;

    Reader() { this(false); }

    /** With `oneByOne`, the channel takes a message from the server only when next() is called. */
    Reader(boolean oneByOne) { this.oneByOne = oneByOne; }

    @Override public void beforeStart(ClientCallStreamObserver<Q> stream) {
      requests = stream;
      if (oneByOne) stream.disableAutoRequestWithInitial(0);
    }
    @Override public void onNext(A message) { events.add(new Event<>(message, null)); }
    @Override public void onError(Throwable error) { events.add(new Event<>(null, error)); }
    @Override public void onCompleted() { events.add(new Event<>(null, null)); }

    /** Returns the next message, or null at the end. Throws the call's error. */
    A next() throws Exception {
      if (oneByOne) requests.request(1);
      Event<A> event = events.take();
      if (event.error() instanceof Exception error) throw error;
      return event.message();
    }

    List<A> all() throws Exception {
      List<A> messages = new ArrayList<>();
      for (A message = next(); message != null; message = next()) messages.add(message);
      return messages;
    }
  }
}
