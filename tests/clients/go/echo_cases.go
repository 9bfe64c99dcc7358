package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

var echoCases = cases{
	"unary":          unary,
	"server_stream":  serverStream,
	"client_stream":  clientStream,
	"bidi":           bidi,
	"bidi_many":      bidiManyAtOnce,
	"large":          large,
	"many":           manyAtOnce,
	"metadata":       metadataComesBack,
	"status_details": statusDetails,
	"unknown_method": unknownMethod,
	"deadline":       deadline,
	"cancel":         cancel,
	"compression":    compression,
	"is_unavailable": isUnavailable,
}

var sizes = []int{0, 1, 1000, 16384, 16385, 1000000}

func pattern(size int) []byte {
	text := make([]byte, size)
	for i := range text {
		text[i] = byte(i * 31 >> 3)
	}
	return text
}

// copies is a message that ServerStream answers `count` times, 255 at most.
func copies(count int) []byte {
	return append([]byte{byte(count), 0, 0, 0}, pattern(20000)...)
}

// numbers compress to no less than a fifth.
func numbers(count int) []byte {
	var text strings.Builder
	for i := 0; i < count; i++ {
		fmt.Fprintf(&text, "%d ", i*7919%65521)
	}
	return []byte(text.String())
}

func expectUnary(connection *grpc.ClientConn, message []byte, options ...grpc.CallOption) error {
	answer, err := callUnary(context.Background(), connection, "Unary", message, options...)
	if err == nil && !bytes.Equal(answer, message) {
		err = errors.New("the message came back changed")
	}
	return err
}

func delayed() context.Context {
	return metadata.AppendToOutgoingContext(context.Background(), "delay-ms", "20000")
}

func unary(connection *grpc.ClientConn) error {
	for _, size := range sizes {
		if err := expectUnary(connection, pattern(size)); err != nil {
			return err
		}
	}
	return nil
}

func serverStream(connection *grpc.ClientConn) error {
	for _, count := range []int{0, 1, 200} {
		call, err := openStream(context.Background(), connection, "ServerStream")
		if err != nil {
			return err
		}
		message := copies(count)
		if err := call.send(message); err != nil {
			return err
		}
		call.CloseSend()
		read := 0
		answer, err := call.receive()
		for ; err == nil; answer, err = call.receive() {
			if !bytes.Equal(answer, message) {
				return errors.New("another message")
			}
			read++
		}
		if err != io.EOF || read != count {
			return fmt.Errorf("%d messages of %d, then %v", read, count, err)
		}
	}
	return nil
}

func clientStream(connection *grpc.ClientConn) error {
	for _, count := range []int{0, 1, 1000} {
		call, err := openStream(context.Background(), connection, "ClientStream")
		if err != nil {
			return err
		}
		sent := ""
		for i := 0; i < count; i++ {
			if err := call.send([]byte(strconv.Itoa(i))); err != nil {
				return err
			}
			sent += strconv.Itoa(i)
		}
		call.CloseSend()
		answer, err := call.receive()
		if err != nil || string(answer) != sent {
			return fmt.Errorf("not what was sent, %v", err)
		}
	}
	return nil
}

func bidi(connection *grpc.ClientConn) error {
	call, err := openStream(context.Background(), connection, "Bidi")
	if err != nil {
		return err
	}
	for _, size := range sizes {
		if err := call.exchange(pattern(size)); err != nil {
			return err
		}
	}
	call.CloseSend()
	if _, err := call.receive(); err != io.EOF {
		return fmt.Errorf("expected the end, got %v", err)
	}
	return nil
}

func bidiManyAtOnce(connection *grpc.ClientConn) error {
	const messages = 5000
	call, err := openStream(context.Background(), connection, "Bidi")
	if err != nil {
		return err
	}
	go func() {
		for i := 0; i < messages; i++ {
			if call.send([]byte(strconv.Itoa(i))) != nil {
				return // receive says why
			}
		}
		call.CloseSend()
	}()
	for i := 0; i < messages; i++ {
		if answer, err := call.receive(); err != nil || string(answer) != strconv.Itoa(i) {
			return fmt.Errorf("message %d: %q, %v", i, answer, err)
		}
	}
	_, err = call.receive()
	if err != io.EOF {
		return fmt.Errorf("expected the end, got %v", err)
	}
	return nil
}

func large(connection *grpc.ClientConn) error { return expectUnary(connection, pattern(100000000)) }

func manyAtOnce(connection *grpc.ClientConn) error {
	const calls = 1000
	var all sync.WaitGroup
	failures := make([]error, calls)
	for i := range failures {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			failures[i] = expectUnary(connection, []byte(strconv.Itoa(i)))
		}(i)
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func metadataComesBack(connection *grpc.ClientConn) error {
	const binary = "\x00\x01\xff\xfe"
	var header, trailer metadata.MD
	ctx := metadata.AppendToOutgoingContext(context.Background(), "echo-text", "plain text", "echo-bytes-bin", binary)
	if _, err := callUnary(ctx, connection, "Unary", []byte("m"), grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
		return err
	}
	for _, received := range []metadata.MD{header, trailer} {
		if strings.Join(received["echo-text"], "|") != "plain text" || strings.Join(received["echo-bytes-bin"], "|") != binary {
			return fmt.Errorf("other metadata: %v", received)
		}
	}
	return nil
}

func statusDetails(connection *grpc.ClientConn) error {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		ctx := metadata.AppendToOutgoingContext(context.Background(), "fail-with", strconv.Itoa(int(code)))
		_, err := callUnary(ctx, connection, "Unary", []byte("x"))
		if wrong := expectCode(err, code); wrong != nil {
			return wrong
		}
		if message := status.Convert(err).Message(); message != "\u00e9%\n" {
			return fmt.Errorf("another message: %q", message)
		}
		// This client takes the code and the message from the details.
		details := status.Convert(err).Proto().GetDetails()
		if len(details) != 1 || string(details[0].GetValue()) != "\x00\x01\xff" {
			return fmt.Errorf("other details: %v", details)
		}
	}
	return expectUnary(connection, []byte("on"))
}

func unknownMethod(connection *grpc.ClientConn) error {
	_, err := callUnary(context.Background(), connection, "Nothing", []byte("x"))
	if wrong := expectCode(err, codes.Unimplemented); wrong != nil {
		return wrong
	}
	return expectUnary(connection, []byte("on"))
}

func deadline(connection *grpc.ClientConn) error {
	late, stop := context.WithTimeout(delayed(), 100*time.Millisecond)
	defer stop()
	_, err := callUnary(late, connection, "Unary", []byte("x"))
	if wrong := expectCode(err, codes.DeadlineExceeded); wrong != nil {
		return wrong
	}
	later, stopLater := context.WithTimeout(delayed(), 100*time.Millisecond)
	defer stopLater()
	call, err := openStream(later, connection, "Bidi")
	for err == nil {
		err = call.exchange([]byte("x"))
	}
	// A send that fails says only that the call has ended; receive says how.
	if err == io.EOF {
		_, err = call.receive()
	}
	if wrong := expectCode(err, codes.DeadlineExceeded); wrong != nil {
		return wrong
	}
	return expectUnary(connection, []byte("on"))
}

func cancel(connection *grpc.ClientConn) error {
	streaming, stop := context.WithCancel(context.Background())
	call, err := openStream(streaming, connection, "Bidi")
	if err == nil {
		err = call.exchange([]byte("x"))
	}
	stop()
	if err != nil {
		return err
	}
	_, err = call.receive()
	if wrong := expectCode(err, codes.Canceled); wrong != nil {
		return wrong
	}
	single, stopSingle := context.WithCancel(delayed())
	go stopSingle()
	_, err = callUnary(single, connection, "Unary", []byte("x"))
	if wrong := expectCode(err, codes.Canceled); wrong != nil {
		return wrong
	}
	return expectUnary(connection, []byte("on"))
}

func compression(connection *grpc.ClientConn) error {
	compressed := grpc.UseCompressor(gzip.Name)
	if err := expectUnary(connection, numbers(20000), compressed); err != nil {
		return err
	}
	call, err := openStream(context.Background(), connection, "Bidi", compressed)
	for _, message := range [][]byte{numbers(20000), {}, numbers(20000)} {
		if err == nil {
			err = call.exchange(message)
		}
	}
	return err
}

func isUnavailable(connection *grpc.ClientConn) error {
	_, err := callUnary(context.Background(), connection, "Unary", []byte("x"))
	return expectCode(err, codes.Unavailable)
}
