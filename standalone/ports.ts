import { createServer } from 'node:net';

export interface ChosenPort {
  readonly port: number;
  /** Whether the preferred port was in use and another one was chosen. */
  readonly isOther: boolean;
}

/** Returns the preferred port, or a free one if it is in use. */
export async function choosePort(wanted: number, host = '127.0.0.1'): Promise<ChosenPort> {
  const port = await tryPort(wanted, host);
  if (port !== null) return { port, isOther: false };
  const other = await tryPort(0, host);
  if (other === null) throw new Error(`No port can be opened on ${host}`);
  return { port: other, isOther: true };
}

function tryPort(port: number, host: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : null));
    });
  });
}
