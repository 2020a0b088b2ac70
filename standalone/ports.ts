import { createServer } from 'node:net';

/** Returns the preferred port, or a free one if it is in use. */
export async function choosePort(wanted: number, host = '127.0.0.1'): Promise<number> {
  const port = (await tryPort(wanted, host)) ?? (await tryPort(0, host));
  if (port === null) throw new Error(`No port can be opened on ${host}`);
  return port;
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
