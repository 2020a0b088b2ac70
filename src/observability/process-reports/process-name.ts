interface NamedProcess {
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  readonly metricsPort: number;
}

export function formatProcess({ role, host, pid, metricsPort }: NamedProcess): string {
  return `${role} on ${host} (METRICS_PORT ${metricsPort}, pid ${pid})`;
}
