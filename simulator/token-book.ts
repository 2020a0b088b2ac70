import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const intermediaryTin = 'C58476302900';

/** Identity of a token: a client of the intermediary, on behalf of one taxpayer. */
export interface Session {
  clientId: string;
  tin: string;
  /** Business registration number of a sole proprietor. Empty if the login did not state it. */
  brn: string;
}

export interface IssuedToken extends Session {
  expiresAt: number;
}

export class TokenBook {
  private readonly tokens = new Map<string, IssuedToken>();

  issue(session: Session, now: number, seconds: number): string {
    for (const [text, token] of this.tokens) if (token.expiresAt <= now) this.tokens.delete(text);
    const text = tokenText(session, now, now + seconds * 1000);
    this.keep(text, { ...session, expiresAt: now + seconds * 1000 });
    return text;
  }

  keep(text: string, token: IssuedToken): void {
    this.tokens.set(text, token);
  }

  /** Returns all tokens, for restore.ts. */
  all(): Iterable<[text: string, token: IssuedToken]> {
    return this.tokens;
  }

  find(headers: IncomingHttpHeaders, now: number): Session | undefined {
    const text = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const token = this.tokens.get(text);
    return token && token.expiresAt > now ? token : undefined;
  }
}

export function toSubmitterKey(session: Session): string {
  return JSON.stringify([session.clientId, session.tin]);
}

/** Builds an unsigned token with the authority's claims. Like in the authority's token, the flags are strings. */
function tokenText({ clientId, tin }: Session, issuedAt: number, expiresAt: number): string {
  const claims = {
    nbf: Math.floor(issuedAt / 1000),
    iat: Math.floor(issuedAt / 1000),
    exp: Math.floor(expiresAt / 1000),
    scope: ['InvoicingAPI'],
    client_id: clientId,
    IsTaxRepres: '0',
    IsIntermediary: '1',
    IntermedTIN: intermediaryTin,
    IntermedROB: '',
    name: `${tin}:${clientId}`,
    TaxpayerTIN: tin,
    IsTaxAdmin: '0',
    IsSystem: '1',
  };
  return [tokenPart({ alg: 'none', typ: 'JWT' }), tokenPart(claims), randomBytes(24).toString('base64url')].join('.');
}

function tokenPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
