interface NamedProcess {
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  readonly metricsPort: number;
}

/** Formats a process with its host, metrics port and process id. */
export function formatProcess({ role, host, pid, metricsPort }: NamedProcess): string {
  return `${role} on ${host} (METRICS_PORT ${metricsPort}, pid ${pid})`;
}
