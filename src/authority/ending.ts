/**
 * How a call ended. `not-sent` is only said when not one byte of the request can have left this machine: it alone
 * allows sending again without a lookup. Everything that is not certain is `no-response`.
 */
export type Ending = AuthorityResponse | NotSent | NoResponse;

export interface AuthorityResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Names in lower case; the values of repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; null when the text is not JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly correlationId: string | null;
}

export interface NotSent {
  readonly kind: 'not-sent';
  readonly reason: string;
  /** By signal, by a deadline that had passed, or without a file descriptor: it says nothing about the authority. */
  readonly isGivenUp: boolean;
}

interface NoResponse {
  readonly kind: 'no-response';
  readonly reason: string;
  /** We gave up by signal: it says nothing about the authority. */
  readonly isGivenUp: boolean;
}
