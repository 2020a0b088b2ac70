import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpService } from '@nestjs/axios';
import { Logger } from '@nestjs/common';
import { create } from 'axios';
import type { DataSource } from 'typeorm';
import { AuthorityClient } from '../../src/authority/authority-client.js';
import { AuthorityClock } from '../../src/authority/authority-clock.js';
import { CallBudget } from '../../src/authority/call-budget.js';
import { TokenStore } from '../../src/authority/token-store.js';
import { AuthorityTokens, type Taxpayer } from '../../src/authority/tokens.js';
import { AuthorityTransport } from '../../src/authority/transport.js';
import { type Configuration, readConfiguration } from '../../src/config/configuration.js';
import { createDataSource } from '../../src/database/data-source.js';
import { TenantTransactions } from '../../src/database/in-tenant.js';
import { formatOnBehalfOf } from '../../src/documents/identity.js';
import { TenantService } from '../../src/tenants/tenant.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

// Silences the expected errors, which would hide a real one.
Logger.overrideLogger(false);

export type Role = 'app' | 'dispatcher';

/** The authority client of one process, with its own database pool. */
export interface Replica {
  readonly budget: CallBudget;
  readonly tokens: AuthorityTokens;
  readonly client: AuthorityClient;
  readonly transactions: TenantTransactions;
  readonly dataSource: DataSource;
}

export interface ReplicaOptions {
  readonly authorityUrl?: string;
  readonly role?: Role;
  readonly rateFactor?: number;
  readonly settings?: Record<string, string>;
}

/** A separate database and everything that the spec has started on it. */
export class AuthorityHarness {
  private readonly closing: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly owner: DataSource,
  ) {}

  static async start(): Promise<AuthorityHarness> {
    const database = await createTestDatabase();
    const owner = createDataSource({ url: database.ownerUrl, poolSize: 4, applicationName: 'test' });
    return new AuthorityHarness(database, await owner.initialize());
  }

  async stop(): Promise<void> {
    for (const close of this.closing.splice(0).reverse()) await close();
    await this.owner.destroy();
    await this.database.drop();
  }

  configuration(options: ReplicaOptions = {}): Configuration {
    const { authorityUrl = 'http://127.0.0.1:9', role = 'app', rateFactor = 0, settings = {} } = options;
    return readConfiguration(role === 'app' ? 'api' : 'dispatcher', {
      DATABASE_URL: this.database.appUrl,
      DATABASE_DISPATCHER_URL: this.database.dispatcherUrl,
      AUTHORITY_SANDBOX_API_URL: authorityUrl,
      AUTHORITY_SANDBOX_CLIENT_ID: 'client',
      AUTHORITY_SANDBOX_CLIENT_SECRET: 'secret',
      AUTHORITY_SANDBOX_RATE_FACTOR: String(rateFactor),
      SECRETS_KEY: 'a secret of at least thirty-two characters',
      ...settings,
    });
  }

  async replica(options: ReplicaOptions = {}): Promise<Replica> {
    const configuration = this.configuration(options);
    const url = configuration.databaseUrl;
    const dataSource = await createDataSource({ url, poolSize: 8, applicationName: 'replica' }).initialize();
    const transactions = new TenantTransactions(dataSource);
    const budget = new CallBudget(dataSource, configuration);
    const clock = new AuthorityClock(dataSource, configuration);
    const transport = new AuthorityTransport(new HttpService(create()), configuration, clock);
    const tokens = new AuthorityTokens(new TokenStore(transactions, configuration), transport, budget, configuration);
    this.closing.push(() => dataSource.destroy());
    const client = new AuthorityClient(transport, tokens, budget, configuration);
    return { budget, tokens, client, transactions, dataSource };
  }

  async taxpayer(tin = 'C25845632020'): Promise<Taxpayer> {
    const identity = { tin, idType: 'BRN', idValue: '201901234567' } as const;
    const options = { name: 'Kedai Contoh', tin, idType: 'BRN', idValue: identity.idValue };
    const { tenantId } = await new TenantService(this.owner).create(options, { isTinShared: true });
    return { tenantId, onBehalfOf: formatOnBehalfOf(identity) };
  }

  /** Starts a server with a scripted handler, which gets the number of earlier requests to the same path. */
  async serve(handler: Handler): Promise<ScriptedAuthority> {
    const counts = new Map<string, number>();
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const index = counts.get(path) ?? 0;
      counts.set(path, index + 1);
      request.resume().on('end', () => void handler({ request, response, path, index }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.closing.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, requestsTo: (path) => counts.get(path) ?? 0 };
  }

  /** Advances `service_now()` by these seconds. */
  async advance(seconds: number): Promise<void> {
    await this.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly index: number;
}

export type Handler = (exchange: Exchange) => unknown;

export interface ScriptedAuthority {
  readonly url: string;
  requestsTo(path: string): number;
}

export const LOGIN = '/connect/token';

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Response to a login. The token contains the taxpayer and the number of the login. */
export function issueToken({ request, response, index }: Exchange): void {
  const access = `token-${String(request.headers.onbehalfof)}-${index}`;
  json(response, 200, { access_token: access, expires_in: 3600, token_type: 'Bearer' });
}

export function inTime(seconds = 10): { deadlineAt: number } {
  return { deadlineAt: performance.now() + seconds * 1000 };
}
