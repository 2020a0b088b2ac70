import { choosePort } from '../../standalone/ports.js';

// Below the range that systems take the ports of outgoing connections from, where a chosen port may be gone again
// before the program that it was chosen for has opened it.
const PORT_MIN = 12_000;
const PORTS = 16_000;
let lastPort = Math.floor(Math.random() * PORTS);

/** A port that a program which dies can have again. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries += 1) {
    lastPort += 1;
    const { port, isOther } = await choosePort(PORT_MIN + (lastPort % PORTS));
    if (!isOther) return port;
  }
  throw new Error(`No port from ${PORT_MIN} to ${PORT_MIN + PORTS - 1} is free`);
}
