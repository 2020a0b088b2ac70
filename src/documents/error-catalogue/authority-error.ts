import type { Explanation } from '../../errors/explanation.js';
import { buildProfileHint, type ProfileField } from '../profile-fields.js';

export const WHOLE_DOCUMENT = 'whole document';
/** Nothing of the request: the supplier's data are the organisation's profile. */
export const SUPPLIER_PROFILE = "supplier's profile";

/**
 * Where an error points: a JSON Pointer relative to the caller's document, in which `*` stands for the line and `{id}`
 * for the buyer's id that was sent (`brn`, `nric`, `passport` or `army`).
 */
export type FieldPath = `/${string}` | typeof WHOLE_DOCUMENT | typeof SUPPLIER_PROFILE;

/** A known error of the authority. */
export interface AuthorityErrorEntry extends Explanation {
  /** Null where the authority gives none. */
  readonly authorityCode: string | null;
  /** Ours: stable, snake_case. */
  readonly code: string;
  readonly fieldPath: FieldPath;
  /** The field of the supplier's profile, where the finding names no other. */
  readonly profileField?: ProfileField;
  /**
   * Codes that the authority uses for several errors are told apart by their step, path and text, one on a line: the
   * first row that fits is taken.
   */
  readonly when?: RegExp;
}

export const CORRECT_PROFILE = buildProfileHint(null);
