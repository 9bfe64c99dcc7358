package main

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
)

// The messages of grpc_echo (tests/support/grpc_echo_service.h) are any bytes: they pass as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(message interface{}) ([]byte, error) { return *message.(*[]byte), nil }

func (bytesCodec) Unmarshal(data []byte, message interface{}) error {
	*message.(*[]byte) = append([]byte(nil), data...)
	return nil
}

const service = "/inferd.test.Echo/"

func asBytes(options []grpc.CallOption) []grpc.CallOption {
	return append(options, grpc.ForceCodec(bytesCodec{}))
}

// callUnary returns what the method answers.
func callUnary(ctx context.Context, connection *grpc.ClientConn, method string, message []byte,
	options ...grpc.CallOption) ([]byte, error) {
	var answer []byte
	err := connection.Invoke(ctx, service+method, &message, &answer, asBytes(options)...)
	return answer, err
}

// stream is a call of any of the three kinds that stream.
type stream struct{ grpc.ClientStream }

func openStream(ctx context.Context, connection *grpc.ClientConn, method string, options ...grpc.CallOption) (stream, error) {
	description := &grpc.StreamDesc{StreamName: method, ClientStreams: method != "ServerStream", ServerStreams: method != "ClientStream"}
	opened, err := connection.NewStream(ctx, description, service+method, asBytes(options)...)
	return stream{opened}, err
}

func (s stream) send(message []byte) error { return s.SendMsg(&message) }

func (s stream) receive() ([]byte, error) {
	var message []byte
	err := s.RecvMsg(&message)
	return message, err
}

// exchange sends a message and expects it back.
func (s stream) exchange(message []byte) error {
	if err := s.send(message); err != nil {
		return err
	}
	answer, err := s.receive()
	if err == nil && string(answer) != string(message) {
		err = fmt.Errorf("a message of %d bytes came back changed", len(message))
	}
	return err
}
