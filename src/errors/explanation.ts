/** Who can mend an error: whoever calls this service, the document's buyer, the operator of this service, the authority. */
export type Actor = 'caller' | 'buyer' | 'operator' | 'authority';

/** What an error means for whoever meets it. */
export interface Explanation {
  /** What is wrong. */
  readonly meaning: string;
  /** How to mend it. */
  readonly action: string;
  readonly actor: Actor;
  /** Whether the same is to be sent again once it is mended. */
  readonly resubmit: boolean;
}
