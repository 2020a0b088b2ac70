/**
 * Who can fix an error: the caller of this service, the document's buyer, the operator of this service, the authority.
 */
export type ResponsibleParty = 'caller' | 'buyer' | 'operator' | 'authority';

/** What an error means for the one who meets it. */
export interface Explanation {
  /** What is wrong. */
  readonly meaning: string;
  /** How to fix it. */
  readonly action: string;
  readonly actor: ResponsibleParty;
  /** Whether the same is to be sent again once it is fixed. */
  readonly resubmit: boolean;
}

export type Operation = 'submit' | 'dryRun' | 'status' | 'taxpayer' | 'cancel' | 'live' | 'ready';

export interface ErrorCodeEntry extends Explanation {
  readonly status: number;
  /** Absent for what every call can meet. */
  readonly operations?: readonly Operation[];
}
