import './log-signal.js';

// After the signal listener, and before modules that open many files.
await import('./open-files.js');

const [{ ReadinessService }, { createDispatcher }, { runProcess }] = await Promise.all([
  import('../dispatcher/monitoring/readiness.service.js'),
  import('./dispatcher-application.js'),
  import('./run-process.js'),
]);

await runProcess('dispatcher', async (configuration) => {
  const service = await createDispatcher(configuration);
  return { service, readReadiness: () => service.get(ReadinessService).read() };
});
