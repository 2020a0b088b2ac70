import './log-signal.js';

// After the signal listener, and before modules that open many files.
await import('./open-files.js');

const [{ createApi, LISTEN_BACKLOG, stopApi }, { runProcess }] = await Promise.all([
  import('./api-application.js'),
  import('./run-process.js'),
]);

await runProcess('api', async (configuration) => {
  const service = await createApi(configuration);
  await service.listen({ port: configuration.port, host: configuration.host, backlog: LISTEN_BACKLOG });
  return { service: { close: () => stopApi(service) } };
});
