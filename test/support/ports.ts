import { choosePort } from '../../standalone/ports.js';

// These ports are below the ephemeral range. An outgoing connection could take a port of that range before the program
// listens on it.
const PORT_MIN = 12_000;
const PORTS = 16_000;
let lastPort = Math.floor(Math.random() * PORTS);

/** Returns a free port that a program can still use after a restart. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries += 1) {
    lastPort += 1;
    const wanted = PORT_MIN + (lastPort % PORTS);
    const port = await choosePort(wanted);
    if (port === wanted) return port;
  }
  throw new Error(`No port from ${PORT_MIN} to ${PORT_MIN + PORTS - 1} is free`);
}
