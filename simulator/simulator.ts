import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Answer } from './answers.js';
import { answerAuthority } from './authority-api.js';
import { answerControl } from './control.js';
import { createHttpServer } from './http-server.js';
import type { HttpRequest } from './requests.js';
import { type SimulatorSettings, changeSettings, defaultSettings } from './settings.js';
import { sharePage } from './share-page.js';
import { World } from './world.js';

export interface SimulatorOptions {
  /** 0 takes a free one. */
  port?: number;
  settings?: Partial<SimulatorSettings>;
}

export interface Simulator {
  url: string;
  close(): Promise<void>;
}

// Its control calls have no key, so nobody but this machine may reach it.
const host = '127.0.0.1';
const controlPrefix = '/_control/';

/** Starts the tax authority's stand-in: API, login and portal on one address. */
export async function startSimulator({ port = 0, settings = {} }: SimulatorOptions = {}): Promise<Simulator> {
  const world = new World(changeSettings(defaultSettings, settings));
  const server = createHttpServer({
    answer: (request) => answer(world, request),
    lateAnswerMs: () => world.settings.lateAnswerMs,
    latencyMs: ({ path }) => (path.startsWith(controlPrefix) ? 0 : world.settings.latencyMs),
    now: () => world.clock.now(),
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(world: World, request: HttpRequest): Answer {
  world.catchUp();
  if (request.path.startsWith(controlPrefix)) return answerControl(world, request);
  const share = /^\/(?<uuid>[0-9A-Z]{26})\/share\/(?<longId>[0-9A-Z]+)$/.exec(request.path);
  if (share?.groups && request.method === 'GET') {
    return sharePage(world, share.groups.uuid ?? '', share.groups.longId ?? '');
  }
  return answerAuthority(world, request);
}
