//go:build tools

// What is built of this module beside kubectl, so that `go mod tidy` keeps it.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
