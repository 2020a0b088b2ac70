import { choosePort } from '../../../standalone/ports.js';

// Below the range that systems take the ports of outgoing connections from: a program that is killed must get its port
// again when it comes back.
const PORT_MIN = 12_000;
const PORTS = 16_000;
let last = Math.floor(Math.random() * PORTS);

export async function freePort(): Promise<number> {
  for (;;) {
    last += 1;
    const { port, isOther } = await choosePort(PORT_MIN + (last % PORTS));
    if (!isOther) return port;
  }
}
