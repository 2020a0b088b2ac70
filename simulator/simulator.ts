import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SimulatorResponse } from './responses.js';
import { respondAsAuthority } from './authority-api.js';
import { respondToControl } from './control.js';
import { assertControlled, refuseCaller } from './control-access.js';
import { respondWithPage } from './control-page.js';
import { apiError } from './errors.js';
import { createHttpServer } from './http-server.js';
import { Journal, JournalError } from './journal.js';
import type { HttpRequest } from './requests.js';
import { type SimulatorSettings, changeSettings, defaultSettings } from './settings.js';
import { sharePage } from './share-page.js';
import { World } from './world.js';

export interface SimulatorOptions {
  /** 0 selects a free port. */
  port?: number;
  /** Address to listen on. An address that other machines can reach requires `controlToken`. */
  host?: string;
  /** Bearer token of control calls. Without it, only this machine can make control calls. */
  controlToken?: string;
  settings?: Partial<SimulatorSettings>;
  /** Folder that stores the state between starts. Without it, the state is in memory only. */
  folder?: string;
  /** Clock that is moved together with the simulator's clock. */
  follower?: ClockFollower;
}

/** A clock that follows the simulator's clock. Neither clock moves back. */
export interface ClockFollower {
  /** Milliseconds ahead of the machine's clock when the simulator starts. */
  readonly offsetMs: number;
  move(offsetMs: number): Promise<void>;
}

export interface Simulator {
  url: string;
  /** Milliseconds ahead of the machine's clock at the start. */
  clockOffsetMs: number;
  close(): Promise<void>;
}

const defaultHost = '127.0.0.1';
const controlPrefix = '/_control/';

interface Served {
  world: World;
  journal: Journal | null;
  controlToken: string | undefined;
}

/**
 * Starts the simulated authority, with API, login and portal on one address.
 * @throws Error if the folder is in use or unreadable, or if other machines could make control calls without a token
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = defaultHost, controlToken, folder, follower } = options;
  assertControlled(host, controlToken);
  const world = createWorld(options);
  const journal = folder === undefined ? null : await Journal.open(folder, world);
  try {
    if (follower) await alignClocks(world, follower);
    journal?.write();
    const server = await listen({ world, journal, controlToken }, port, host);
    return {
      url: toUrl(server.address() as AddressInfo),
      clockOffsetMs: world.clock.offsetMs,
      close: async () => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
        journal?.close();
      },
    };
  } catch (error) {
    journal?.close();
    throw error;
  }
}

function createWorld({ settings = {}, follower }: SimulatorOptions): World {
  const moveFollower = follower && ((offsetMs: number) => follower.move(offsetMs));
  return new World(changeSettings(defaultSettings, settings), { moveFollower });
}

/** Advances the slower clock. The clocks differ after a crash between two moves, or if one side has new data. */
async function alignClocks(world: World, follower: ClockFollower): Promise<void> {
  const aheadMs = follower.offsetMs - world.clock.offsetMs;
  if (aheadMs < 0) await follower.move(world.clock.offsetMs);
  else world.setClock(follower.offsetMs);
}

async function listen(served: Served, port: number, host: string): Promise<Server> {
  const { world } = served;
  const server = createHttpServer({
    respond: (request) => respond(served, request),
    lateAnswerMs: () => world.settings.lateAnswerMs,
    latencyMs: ({ path }) => (path.startsWith(controlPrefix) ? 0 : world.settings.latencyMs),
    now: () => world.clock.now(),
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** Returns a callable URL. The wildcard addresses `0.0.0.0` and `::` become loopback addresses. */
function toUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** Writes the changes of a call to the journal before the response is sent. */
async function respond({ world, journal, controlToken }: Served, request: HttpRequest): Promise<SimulatorResponse> {
  const isControl = request.path.startsWith(controlPrefix);
  const own = isControl ? (respondWithPage(request) ?? refuseCaller(request, controlToken)) : undefined;
  if (own) return own;
  world.catchUp();
  const given = isControl ? await respondToControl(world, request) : respondToCall(world, request);
  try {
    journal?.write();
    return given;
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return apiError(503, { code: 'ServiceUnavailable', message: error.message });
  }
}

function respondToCall(world: World, request: HttpRequest): SimulatorResponse {
  const share = /^\/(?<uuid>[0-9A-Z]{26})\/share\/(?<longId>[0-9A-Z]+)$/.exec(request.path);
  if (share?.groups && request.method === 'GET') {
    return sharePage(world, share.groups.uuid ?? '', share.groups.longId ?? '');
  }
  return respondAsAuthority(world, request);
}
