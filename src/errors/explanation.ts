export type ResponsibleParty = 'caller' | 'buyer' | 'operator' | 'authority';

export interface Explanation {
  readonly meaning: string;
  readonly action: string;
  readonly actor: ResponsibleParty;
  /** Whether to resubmit after the fix. */
  readonly resubmit: boolean;
}

export type Operation = 'submit' | 'dryRun' | 'status' | 'taxpayer' | 'cancel' | 'live' | 'ready';

export interface ErrorCodeEntry extends Explanation {
  readonly status: number;
  /** Absent if the code applies to every operation. */
  readonly operations?: readonly Operation[];
}
