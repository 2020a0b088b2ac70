import type { Environment } from '../config/environment.js';

/** What a document is printed from. */
export interface Paper {
  /** The authority's document, exactly as it was built and found valid. */
  readonly bytes: Uint8Array;
  readonly environment: Environment;
  readonly uuid: string;
  /** The authority's public page of the document, for the QR code. */
  readonly validationUrl: string;
  readonly validatedAt: Date;
  readonly isCancelled: boolean;
  /** Null too when the authority has not said when. */
  readonly cancelledAt: Date | null;
}
