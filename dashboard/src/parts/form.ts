import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type Problem, asFailure } from '../api/errors';
import { reveal } from './reveal';
import { toSentence } from './sentence';

/** `/address/line1` is the field `address.line1`; a member name may hold the escapes of RFC 6901. */
export function toFieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

/**
 * Sorts an answer's problems: those of fields that the form shows, as form errors, and the others.
 * @param values - The form's values; a field is one when it has a value there.
 */
export function sortProblems(problems: readonly Problem[], values: object) {
  const errors: Record<string, string> = {};
  const others: Problem[] = [];
  for (const problem of problems) {
    const field = toFieldName(problem.pointer);
    if (!isField(values, field)) others.push(problem);
    else errors[field] ??= toSentence(problem);
  }
  return { errors, others };
}

function isField(values: object, field: string): boolean {
  const value = field
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      values,
    );
  return value !== undefined && !isRecord(value);
}

/** In the order of the page. */
function comparePlaces(one: HTMLElement, other: HTMLElement): number {
  return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Sends a form: problems that the API names stand next to their fields, the first of which takes the focus.
 * @returns `onSubmit` for the form, `pending` for its button, `error` and `problems` for an {@link ErrorAlert} above
 * it.
 */
export function useFormCall<Values extends Record<string, unknown>, Answer>(
  form: UseFormReturnType<Values>,
  call: (values: Values) => Promise<Answer>,
  onDone: (answer: Answer) => unknown,
) {
  const focusFirst = (errors: object) => {
    const inputs = Object.keys(errors)
      .map((field) => form.getInputNode(field))
      .filter((input) => input !== null);
    const [first] = inputs.sort(comparePlaces);
    if (first !== undefined) reveal(first);
  };
  const mutation = useMutation({
    mutationFn: call,
    onSuccess: onDone,
    onError: (error) => {
      const { errors } = sortProblems(asFailure(error).problems, form.getValues());
      form.setErrors(errors);
      focusFirst(errors);
    },
  });
  const others =
    mutation.error === null ? [] : sortProblems(asFailure(mutation.error).problems, form.getValues()).others;
  return {
    onSubmit: form.onSubmit((values) => mutation.mutate(values), focusFirst),
    pending: mutation.isPending,
    error: mutation.error,
    problems: others,
  };
}
