interface NamedProcess {
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  readonly metricsPort: number;
}

/** Names a process by what finds it: its machine, the port of its metrics and its process id. */
export function formatProcess({ role, host, pid, metricsPort }: NamedProcess): string {
  return `${role} on ${host} (METRICS_PORT ${metricsPort}, pid ${pid})`;
}
