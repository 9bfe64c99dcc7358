//go:build tools

// What is built of this module, so that `go mod tidy` keeps it.
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
