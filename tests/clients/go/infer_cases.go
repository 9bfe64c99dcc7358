package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1alpha"

	"messages/oip"
)

var inferCases = cases{
	"infer":          infer,
	"infer_stream":   inferStream,
	"infer_errors":   inferErrors,
	"infer_deadline": inferDeadline,
	"control":        control,
	"health":         health,
	"reflection":     reflection,
}

func requestOf(model, id string, shape []int64, inputs ...string) *oip.ModelInferRequest {
	request := &oip.ModelInferRequest{ModelName: model, Id: id}
	for _, name := range inputs {
		contents := &oip.InferTensorContents{}
		for i := int32(0); i < int32(shape[len(shape)-1]); i++ {
			contents.IntContents = append(contents.IntContents, i)
		}
		request.Inputs = append(request.Inputs,
			&oip.ModelInferRequest_InferInputTensor{Name: name, Datatype: "INT32", Shape: shape, Contents: contents})
	}
	return request
}

func simple(id string) *oip.ModelInferRequest {
	return requestOf("simple", id, []int64{1, 16}, "INPUT0", "INPUT1")
}

func expectSimple(response *oip.ModelInferResponse, id string) error {
	if response.GetId() != id || len(response.GetRawOutputContents()) != 2 {
		return fmt.Errorf("another answer: %v", response)
	}
	for i := 0; i < 16; i++ {
		if binary.LittleEndian.Uint32(response.RawOutputContents[0][4*i:]) != uint32(2*i) {
			return errors.New("a wrong sum")
		}
	}
	return nil
}

func infer(connection *grpc.ClientConn) error {
	client := oip.NewGRPCInferenceServiceClient(connection)
	for i := 0; i < 100; i++ {
		response, err := client.ModelInfer(context.Background(), simple(strconv.Itoa(i)))
		if err == nil {
			err = expectSimple(response, strconv.Itoa(i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func inferStream(connection *grpc.ClientConn) error {
	const requests = 2000
	call, err := oip.NewGRPCInferenceServiceClient(connection).ModelStreamInfer(context.Background())
	if err != nil {
		return err
	}
	go func() {
		for i := 0; i < requests; i++ {
			if call.Send(simple(strconv.Itoa(i))) != nil {
				return // Recv says why
			}
		}
		call.CloseSend()
	}()
	for i := 0; i < requests; i++ {
		answer, err := call.Recv()
		if err == nil {
			err = expectSimple(answer.GetInferResponse(), strconv.Itoa(i))
		}
		if err != nil {
			return err
		}
	}
	if _, err := call.Recv(); err != io.EOF {
		return fmt.Errorf("expected the end, got %v", err)
	}
	return nil
}

func inferErrors(connection *grpc.ClientConn) error {
	client := oip.NewGRPCInferenceServiceClient(connection)
	unknown := simple("u")
	unknown.ModelName = "nobody"
	_, err := client.ModelInfer(context.Background(), unknown)
	if wrong := expectCode(err, codes.NotFound); wrong != nil {
		return wrong
	}
	partial := simple("p")
	partial.Inputs = partial.Inputs[:1]
	_, err = client.ModelInfer(context.Background(), partial)
	return expectCode(err, codes.InvalidArgument)
}

func inferDeadline(connection *grpc.ClientConn) error {
	client := oip.NewGRPCInferenceServiceClient(connection)
	request := requestOf("endless", "", []int64{1}, "INPUT")
	late, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer stop()
	_, err := client.ModelInfer(late, request)
	if wrong := expectCode(err, codes.DeadlineExceeded); wrong != nil {
		return wrong
	}
	cancelled, cancelNow := context.WithCancel(context.Background())
	go cancelNow()
	_, err = client.ModelInfer(cancelled, request)
	if wrong := expectCode(err, codes.Canceled); wrong != nil {
		return wrong
	}
	return infer(connection)
}

func control(connection *grpc.ClientConn) error {
	client := oip.NewGRPCInferenceServiceClient(connection)
	ready, err := client.ServerReady(context.Background(), &oip.ServerReadyRequest{})
	if err != nil || !ready.GetReady() {
		return fmt.Errorf("not ready, %v", err)
	}
	index, err := client.RepositoryIndex(context.Background(), &oip.RepositoryIndexRequest{})
	if err != nil || len(index.GetModels()) < 2 {
		return fmt.Errorf("models are missing from the index, %v", err)
	}
	return nil
}

func health(connection *grpc.ClientConn) error {
	client := grpc_health_v1.NewHealthClient(connection)
	answer, err := client.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("not serving: %v, %v", answer, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	watch, err := client.Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	answer, err = watch.Recv()
	if err != nil || answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("not serving: %v, %v", answer, err)
	}
	return nil
}

func reflection(connection *grpc.ClientConn) error {
	call, err := grpc_reflection_v1alpha.NewServerReflectionClient(connection).ServerReflectionInfo(context.Background())
	if err != nil {
		return err
	}
	question := &grpc_reflection_v1alpha.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1alpha.ServerReflectionRequest_FileContainingSymbol{
			FileContainingSymbol: "inference.GRPCInferenceService"}}
	if err := call.Send(question); err != nil {
		return err
	}
	answer, err := call.Recv()
	if err != nil || len(answer.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		return fmt.Errorf("no descriptor: %v, %v", answer, err)
	}
	return call.CloseSend()
}
