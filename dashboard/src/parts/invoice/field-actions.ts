import type { UseFormReturnType } from '@mantine/form';
import { type ErrorAction, findAction } from '../error-actions';
import { toFieldName } from '../form';
import { formatMalaysianDay } from '../malaysian-time';
import { focusInView } from '../focus-in-view';
import type { InvoiceValues } from './values';

/** Form fields that have a different name in the request. */
const FIELDS: Readonly<Record<string, string>> = {
  document_date: 'documentDate',
  entity_type: 'idKind',
  entityType: 'idKind',
  submissionType: 'submission_type',
};

/** Returns the form field of a pointer into the request. The form shows a single document, so its index becomes 0. */
export function toInvoiceField(pointer: string): string {
  const names = toFieldName(pointer.replace(/^\/documents\/\d+/, '/documents/0')).split('.');
  return names.map((name) => FIELDS[name] ?? name).join('.');
}

export function findInput(field: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-path="${CSS.escape(field)}"]`);
}

/** Pointers to the request, to all documents or to one document. */
const WHOLE_DOCUMENT = /^(?:\/documents(?:\/\d+)?)?\/?$/;

/** Whether a pointer names a field or part of the form rather than a whole document. */
export function isFieldPointer(pointer: string): boolean {
  return !WHOLE_DOCUMENT.test(pointer);
}

/** Focuses the field of a pointer, or the first field of a part such as the buyer. Falls back to the form. */
export function focusField(pointer: string): void {
  const target = isFieldPointer(pointer) ? findNearest(toInvoiceField(pointer)) : null;
  const form = document.querySelector<HTMLElement>('form[data-invoice]');
  if (target !== null) focusInView(target);
  else if (form !== null) {
    form.scrollIntoView({ block: 'start' });
    form.focus({ preventScroll: true });
  }
}

/** Returns the field, else the first field within it, else the nearest field of an outer part. */
function findNearest(field: string): HTMLElement | null {
  const within = document.querySelector<HTMLElement>(`[data-path^="${CSS.escape(`${field}.`)}"]`);
  const found = findInput(field) ?? within;
  const outer = field.split('.').slice(0, -1);
  return found ?? (outer.length <= DOCUMENT_DEPTH ? null : findNearest(outer.join('.')));
}

// Number of names in documents.0.
const DOCUMENT_DEPTH = 2;

type Change = Pick<UseFormReturnType<InvoiceValues>, 'setFieldValue'>;

export interface FieldAction {
  readonly label: string;
  readonly run: (form: Change, field: string) => void;
}

const CHOOSE: FieldAction = { label: 'Show the choices', run: (_, field) => openChoices(field) };

export type FieldActions = Readonly<Partial<Record<ErrorAction, FieldAction>>>;

const FIELD_ACTIONS: FieldActions = {
  check_tin: { label: 'Check TIN and id with the authority', run: pressTinCheck },
  leave_out: { label: 'Leave it out', run: (form, field) => form.setFieldValue(field, '') },
  today: {
    label: 'Use today’s date',
    run: (form) => form.setFieldValue('documents.0.documentDate', formatMalaysianDay()),
  },
  class_022: { label: 'Use 022 (others)', run: (form, field) => form.setFieldValue(field, '022') },
  general_public: {
    label: 'Send it for the general public',
    run: (form) => {
      form.setFieldValue('submission_type', 'consolidated');
      // The buyer's fields are no longer shown.
      focusField('/submission_type');
    },
  },
};

const ACTIONS_OF_HINTS: readonly (readonly [hint: RegExp, action: ErrorAction])[] = [
  [/(?:^|; or |, or )leave it out$|^leave it out(?:;|,|$)/, 'leave_out'],
  [/submission_type consolidated/, 'general_public'],
];

const CHOICES = /\.(?:documentType|idKind|country|state|taxType|classification|unitCode)$|^submission_type$/;

/** Returns the actions of the buttons next to a field, apart from the values that the hint proposes. */
export function listFieldActions(
  { rule, hint }: { rule?: string; hint: string | null },
  field: string,
  actionsOfForm: FieldActions = {},
): readonly FieldAction[] {
  const named = ACTIONS_OF_HINTS.filter(([pattern]) => pattern.test(hint ?? '')).map(([, action]) => action);
  const actions = new Set([findAction(rule), ...named]);
  const found = [...actions].flatMap((action) => actionsOfForm[action] ?? FIELD_ACTIONS[action] ?? []);
  return CHOICES.test(field) ? [...found, CHOOSE] : found;
}

function openChoices(field: string): void {
  const input = findInput(field);
  if (input === null) return;
  focusInView(input);
  input.click();
}

function pressTinCheck(): void {
  const button = document.querySelector<HTMLButtonElement>('button[data-tin-check]');
  if (button === null) return;
  focusInView(button);
  button.click();
}
