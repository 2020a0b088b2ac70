/**
 * How a call ended. `not-sent` is used only if no byte can have left this machine, which makes a resend safe without a
 * reconciliation lookup. Every uncertain case is `no-response`.
 */
export type Ending = AuthorityResponse | NotSent | NoResponse;

export interface AuthorityResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Names are in lower case; the values of repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON. Null if the text is not JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly correlationId: string | null;
}

export interface NotSent {
  readonly kind: 'not-sent';
  readonly reason: string;
  /** Aborted by a signal, a passed deadline or a lack of file descriptors, so the failure is not the authority's. */
  readonly isGivenUp: boolean;
}

interface NoResponse {
  readonly kind: 'no-response';
  readonly reason: string;
  /** Aborted by us, so the failure is not the authority's. */
  readonly isGivenUp: boolean;
}
