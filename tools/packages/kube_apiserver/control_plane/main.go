// The programs of a Kubernetes control plane in one binary: most of what they are compiled of is the same.
//
//	control_plane kube-apiserver|kube-scheduler|controllers OPTION...
//
// kube-apiserver and kube-scheduler are Kubernetes' own programs, with their own options. controllers runs those of kube-controller-manager's
// controllers that the tests need, each with the rights that it has in a cluster. Their periods are short, so that tests need not wait.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/cli"
	"k8s.io/controller-manager/pkg/informerfactory"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/endpoint"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	metricsclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	"k8s.io/metrics/pkg/client/custom_metrics"
	"k8s.io/metrics/pkg/client/external_metrics"
)

const (
	workers = 5
	// How soon the garbage collector and the mapping of kinds to resources follow definitions that come and go.
	discoveryPeriod = 2 * time.Second
	resyncPeriod    = 12 * time.Hour
	downscaleWindow = 2 * time.Second
	tolerance       = 0.1
	slicesPerBatch  = 100
)

func main() {
	programs := map[string]func() *cobra.Command{
		"kube-apiserver": apiserver.NewAPIServerCommand,
		"kube-scheduler": func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"controllers":    newControllersCommand,
	}
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "usage: %s kube-apiserver|kube-scheduler|controllers OPTION...\n", os.Args[0])
		os.Exit(2)
	}
	command := programs[os.Args[1]]()
	command.SetArgs(os.Args[2:])
	os.Exit(cli.Run(command))
}

func newControllersCommand() *cobra.Command {
	command := &cobra.Command{Use: "controllers", SilenceUsage: true}
	kubeconfig := command.Flags().String("kubeconfig", "", "file with an administrator's credentials, who acts as each controller")
	autoscalePeriod := command.Flags().Duration("autoscale-period", 15*time.Second, "how often the number of an autoscaler's pods is computed")
	command.Flags().AddGoFlagSet(flag.CommandLine)
	command.RunE = func(*cobra.Command, []string) error {
		config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
		if err != nil {
			return err
		}
		config.QPS, config.Burst = 1000, 2000
		return run(context.Background(), credentials{config}, *autoscalePeriod)
	}
	return command
}

// credentials makes the clients of controllers from an administrator's configuration.
type credentials struct {
	administrator *rest.Config
}

func (c credentials) user(name string, groups ...string) *rest.Config {
	config := rest.CopyConfig(c.administrator)
	config.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: append(groups, "system:authenticated")}
	return rest.AddUserAgent(config, name)
}

// controller returns the configuration of the service account that the controller of that name has in a cluster.
func (c credentials) controller(name string) *rest.Config {
	return c.user("system:serviceaccount:kube-system:"+name, "system:serviceaccounts", "system:serviceaccounts:kube-system")
}

func (c credentials) client(name string) kubernetes.Interface {
	return kubernetes.NewForConfigOrDie(c.controller(name))
}

// manager holds what the controllers share.
type manager struct {
	credentials
	informers informers.SharedInformerFactory
	metadata  metadatainformer.SharedInformerFactory
	mapper    *restmapper.DeferredDiscoveryRESTMapper
	started   chan struct{}

	autoscalePeriod time.Duration
}

// run starts the controllers, and returns when one cannot be started or the context ends.
func run(ctx context.Context, credentials credentials, autoscalePeriod time.Duration) error {
	shared := credentials.user("system:kube-controller-manager")
	client := kubernetes.NewForConfigOrDie(shared)
	m := &manager{
		credentials:     credentials,
		autoscalePeriod: autoscalePeriod,
		informers:       informers.NewSharedInformerFactory(client, resyncPeriod),
		metadata:        metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(shared), resyncPeriod),
		mapper:          restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		started:         make(chan struct{}),
	}
	go wait.Until(m.mapper.Reset, discoveryPeriod, ctx.Done())
	for _, start := range []func(context.Context) error{
		m.startWorkloads, m.startEndpoints, m.startNamespaces, m.startGarbageCollector, m.startAutoscaler,
	} {
		if err := start(ctx); err != nil {
			return err
		}
	}
	m.informers.Start(ctx.Done())
	m.metadata.Start(ctx.Done())
	close(m.started)
	<-ctx.Done()
	return nil
}

func (m *manager) startWorkloads(ctx context.Context) error {
	apps, pods := m.informers.Apps().V1(), m.informers.Core().V1().Pods()
	deployments, err := deployment.NewDeploymentController(apps.Deployments(), apps.ReplicaSets(), pods, m.client("deployment-controller"))
	if err != nil {
		return err
	}
	go deployments.Run(ctx, workers)
	go replicaset.NewReplicaSetController(apps.ReplicaSets(), pods, m.client("replicaset-controller"), replicaset.BurstReplicas).Run(ctx, workers)
	return nil
}

func (m *manager) startEndpoints(ctx context.Context) error {
	core := m.informers.Core().V1()
	go endpoint.NewEndpointController(core.Pods(), core.Services(), core.Endpoints(), m.client("endpoint-controller"), 0).Run(ctx, workers)
	go endpointslice.NewController(core.Pods(), core.Services(), core.Nodes(), m.informers.Discovery().V1().EndpointSlices(), slicesPerBatch,
		m.client("endpointslice-controller"), 0).Run(workers, ctx.Done())
	return nil
}

func (m *manager) startNamespaces(ctx context.Context) error {
	core, config := m.informers.Core().V1(), m.controller("namespace-controller")
	client := kubernetes.NewForConfigOrDie(config)
	go namespace.NewNamespaceController(client, metadata.NewForConfigOrDie(config), client.Discovery().ServerPreferredNamespacedResources,
		core.Namespaces(), resyncPeriod, v1.FinalizerKubernetes).Run(workers, ctx.Done())
	accounts, err := serviceaccount.NewServiceAccountsController(core.ServiceAccounts(), core.Namespaces(), m.client("service-account-controller"),
		serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}
	go accounts.Run(ctx, 1)
	return nil
}

func (m *manager) startGarbageCollector(ctx context.Context) error {
	config := m.controller("generic-garbage-collector")
	client := kubernetes.NewForConfigOrDie(config)
	collector, err := garbagecollector.NewGarbageCollector(client, metadata.NewForConfigOrDie(config), m.mapper,
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(m.informers, m.metadata), m.started)
	if err != nil {
		return err
	}
	go collector.Run(ctx, workers)
	go collector.Sync(client.Discovery(), discoveryPeriod, ctx.Done())
	return nil
}

func (m *manager) startAutoscaler(ctx context.Context) error {
	config := m.controller("horizontal-pod-autoscaler")
	client := kubernetes.NewForConfigOrDie(config)
	scales, err := scale.NewForConfig(config, m.mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(client.Discovery()))
	if err != nil {
		return err
	}
	versions := custom_metrics.NewAvailableAPIsGetter(client.Discovery())
	go custom_metrics.PeriodicallyInvalidate(versions, m.autoscalePeriod, ctx.Done())
	measured := metrics.NewRESTMetricsClient(metricsclient.NewForConfigOrDie(config), custom_metrics.NewForConfig(config, m.mapper, versions),
		external_metrics.NewForConfigOrDie(config))
	go podautoscaler.NewHorizontalController(client.CoreV1(), scales, client.AutoscalingV2(), m.mapper, measured,
		m.informers.Autoscaling().V2().HorizontalPodAutoscalers(), m.informers.Core().V1().Pods(), m.autoscalePeriod, downscaleWindow, tolerance,
		0, 0).Run(ctx, workers)
	return nil
}
