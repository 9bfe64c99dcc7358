// A gRPC client in Go that tests start against a running server.
//
//	grpcgo_client CASE TARGET [AUTHORITY [CERTIFICATE KEY]]
//
// Exits with 0 when the case sees what it should; says what it misses otherwise.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// By name; each returns what it misses.
type cases map[string]func(*grpc.ClientConn) error

func credentialsOf(authority, certificate, key string) (grpc.DialOption, error) {
	if authority == "" {
		return grpc.WithInsecure(), nil
	}
	pem, err := os.ReadFile(authority)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in " + authority)
	}
	if certificate != "" {
		own, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{own}
	}
	return grpc.WithTransportCredentials(credentials.NewTLS(config)), nil
}

func run(name, target, authority, certificate, key string) error {
	found := echoCases[name]
	if found == nil {
		found = inferCases[name]
	}
	if found == nil {
		return errors.New("no such case")
	}
	safety, err := credentialsOf(authority, certificate, key)
	if err != nil {
		return err
	}
	connection, err := grpc.Dial(target, safety,
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		return err
	}
	defer connection.Close()
	return found(connection)
}

func expectCode(err error, code codes.Code) error {
	if status.Code(err) != code {
		return fmt.Errorf("expected %v, got %v", code, err)
	}
	return nil
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "grpcgo_client CASE TARGET [AUTHORITY [CERTIFICATE KEY]]")
		os.Exit(2)
	}
	arguments := append(os.Args[1:], "", "", "")
	if err := run(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", arguments[0], err)
		os.Exit(1)
	}
}
