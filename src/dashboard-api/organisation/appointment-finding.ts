import { REFUSAL_PAUSE_SECONDS } from '../../authority/tokens.js';
import type { TinOutcome } from '../../authority/outcomes.js';
import type { AppointmentProblemDto } from './dto/appointment.dto.js';

/** What the ending of a call on behalf of an organisation says of its appointment. */
export interface AppointmentFinding {
  /** Null: no verdict, and nothing to remember. */
  readonly isAppointed: boolean | null;
  readonly problems: readonly AppointmentProblemDto[];
  readonly authorityMessage: string | null;
  readonly retryAfterSeconds: number | null;
}

const SOON_SECONDS = 30;

const NO_FINDING = { isAppointed: null, authorityMessage: null, retryAfterSeconds: SOON_SECONDS };

const APPOINT =
  'In the MyInvois portal, add this service as your intermediary and switch on its permissions; and compare the TIN of ' +
  'your profile with the one in the portal. If you did so just now, wait a minute and check again.';

/** One entry for every ending, so that a new one does not pass unseen. */
const FINDINGS: { [Kind in TinOutcome['kind']]: (outcome: Extract<TinOutcome, { kind: Kind }>) => AppointmentFinding } =
  {
    valid: () => ({ isAppointed: true, problems: [], authorityMessage: null, retryAfterSeconds: null }),
    // The login worked, so the appointment stands; but every document would be refused.
    invalid: () => ({
      isAppointed: true,
      problems: [
        {
          message: 'The authority does not know your TIN together with the id of your profile',
          fix: 'Compare TIN, type and number of the id with your registration at the authority, and correct the profile.',
        },
      ],
      authorityMessage: null,
      retryAfterSeconds: null,
    }),
    'not-appointed': ({ errors, isPaused }) =>
      isPaused === true
        ? {
            isAppointed: false,
            problems: [
              {
                message: 'The authority refused less than a minute ago and was not asked again',
                fix: `It limits how often may be asked: check again in ${REFUSAL_PAUSE_SECONDS} seconds.`,
              },
            ],
            authorityMessage: null,
            retryAfterSeconds: REFUSAL_PAUSE_SECONDS,
          }
        : {
            isAppointed: false,
            problems: [{ message: 'The authority does not let this service act for your TIN yet', fix: APPOINT }],
            authorityMessage: joinMessages(errors),
            retryAfterSeconds: REFUSAL_PAUSE_SECONDS,
          },
    forbidden: ({ errors }) => ({
      isAppointed: false,
      problems: [
        {
          message: 'You appointed this service, but without the permissions that it needs',
          fix: 'In the MyInvois portal, open the intermediary and switch on submit, cancel and view; then check again.',
        },
      ],
      authorityMessage: joinMessages(errors),
      retryAfterSeconds: null,
    }),
    unauthorized: () => ({
      ...NO_FINDING,
      problems: [
        { message: 'The authority refused a login that it had just granted', fix: formatRetryHint(SOON_SECONDS) },
      ],
    }),
    'client-refused': () => ({
      ...NO_FINDING,
      problems: [
        {
          message: 'The authority refuses this service itself, for every organisation',
          fix: 'You cannot fix this: the operator of this service must correct its login. Please tell them.',
        },
      ],
      retryAfterSeconds: REFUSAL_PAUSE_SECONDS,
    }),
    throttled: ({ retryAfterSeconds, isShareUsedUp }) => ({
      ...NO_FINDING,
      problems: [
        {
          message: isShareUsedUp
            ? 'Your organisation has used up its share of the calls to the authority'
            : 'The authority limits the number of calls, and none is left now',
          fix: formatRetryHint(retryAfterSeconds),
        },
      ],
      retryAfterSeconds,
    }),
    unavailable: ({ retryAfterSeconds }) => ({
      ...NO_FINDING,
      problems: [
        {
          message: 'The authority did not respond',
          fix: `It says nothing about your appointment. ${formatRetryHint(retryAfterSeconds ?? SOON_SECONDS)}`,
        },
      ],
      retryAfterSeconds: retryAfterSeconds ?? SOON_SECONDS,
    }),
  };

/** What to tell an organisation about its appointment, from how a call on its behalf ended. */
export function toFinding(outcome: TinOutcome): AppointmentFinding {
  const find = FINDINGS[outcome.kind] as (ending: TinOutcome) => AppointmentFinding;
  return find(outcome);
}

function formatRetryHint(seconds: number): string {
  return `Check again in ${Math.ceil(seconds)} seconds.`;
}

function joinMessages(errors: readonly { code: string | null; message: string }[]): string | null {
  const sentences = errors.map(({ code, message }) => (code === null ? message : `${code}: ${message}`));
  return sentences.length === 0 ? null : sentences.join('; ');
}
