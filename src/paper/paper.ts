import type { Environment } from '../config/environment.js';

export interface Paper {
  /** The exact bytes that the authority validated. */
  readonly bytes: Uint8Array;
  readonly environment: Environment;
  readonly uuid: string;
  /** Public page of the document at the authority, used for the QR code. */
  readonly validationUrl: string;
  readonly validatedAt: Date;
  readonly isCancelled: boolean;
  /** Also null if the authority did not state the time. */
  readonly cancelledAt: Date | null;
}
