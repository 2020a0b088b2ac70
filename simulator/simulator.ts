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
  /** 0 takes a free one. */
  port?: number;
  /** The address to listen on; one that other machines can reach needs a token. */
  host?: string;
  /** What control calls must carry; without one, only this machine may make them. */
  controlToken?: string;
  settings?: Partial<SimulatorSettings>;
  /** Where what it remembers is kept, so that the next one goes on with it; in memory unless it is given. */
  folder?: string;
  /** What follows its clock, when something does. */
  follower?: ClockFollower;
}

/** Has a clock that goes with the simulator's; neither goes back. */
export interface ClockFollower {
  /** Milliseconds that it is ahead of the machine's when the simulator starts. */
  readonly offsetMs: number;
  move(offsetMs: number): Promise<void>;
}

export interface Simulator {
  url: string;
  /** Milliseconds that its clock was ahead of the machine's at the start. */
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
 * Starts the tax authority's stand-in: API, login and portal on one address.
 * @throws Error when its folder is in use or cannot be read, or when other machines could make control calls
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

/** One of them may be of other data than the other, or have been killed between two moves. */
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

/** An address that this machine can call: one that stands for all of its addresses is none. */
function toUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** What a call changed is written down before anybody learns of it. */
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
