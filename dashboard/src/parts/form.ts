import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useLayoutEffect } from 'react';
import { type Problem, asFailure } from '../api/errors';
import { focusInView } from './focus-in-view';
import { toSentence } from './sentence';
import { findUnchosen } from './unchosen';

/** `/address/line1` is the field `address.line1`; a member name may hold the escapes of RFC 6901. */
export function toFieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

interface Sorting {
  /** Returns the field of a pointer, for forms with other field names. */
  toField?: (pointer: string) => string;
  /** What stands next to the field. */
  render?: (problem: Problem, field: string) => ReactNode;
}

/** Problems by the fields of a form, and those that are of none. */
export interface SortedProblems {
  errors: Record<string, ReactNode>;
  others: Problem[];
}

/**
 * Sorts the problems of a response: those of fields that the form shows, as form errors, and the others.
 * @param values - The form's values; a field is one when it has a value there.
 */
export function sortProblems(
  problems: readonly Problem[],
  values: object,
  { toField = toFieldName, render = toSentence }: Sorting = {},
): SortedProblems {
  const errors: Record<string, ReactNode> = {};
  const others: Problem[] = [];
  for (const problem of problems) {
    const field = toField(problem.pointer);
    if (!isField(values, field)) others.push(problem);
    else errors[field] ??= render(problem, field);
  }
  return { errors, others };
}

function isField(values: object, field: string): boolean {
  const value = readField(values, field);
  return value !== undefined && !isRecord(value);
}

/** The value of a field such as `address.line1`; undefined where there is none. */
export function readField(values: object, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      values,
    );
}

/** In the order of the page. */
function comparePlaces(one: HTMLElement, other: HTMLElement): number {
  return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

type Submit = (event: FormEvent<HTMLFormElement>) => void;

/** A field that Enter was pressed in is locked then, and would lose the focus to nothing; the button keeps it. */
export function withButtonFocus(onSubmit: Submit): Submit {
  return (event) => {
    (event.nativeEvent as SubmitEvent).submitter?.focus({ preventScroll: true });
    onSubmit(event);
  };
}

/**
 * Sends a form, unless a choice is typed and not made: problems that the API names stand next to their fields, the first
 * of which takes the focus.
 * @returns `onSubmit` for the form, `pending` for its button, `error` and `problems` for an {@link ErrorAlert} above
 * it.
 */
export function useFormCall<Values extends Record<string, unknown>, CallResult>(
  form: UseFormReturnType<Values>,
  call: (values: Values) => Promise<CallResult>,
  onDone: (result: CallResult) => unknown,
  sort: (problems: readonly Problem[]) => SortedProblems = (problems) => sortProblems(problems, form.getValues()),
) {
  const focusFirst = (errors: object) => {
    const inputs = Object.keys(errors)
      .map((field) => form.getInputNode(field))
      .filter((input) => input !== null);
    const [first] = inputs.sort(comparePlaces);
    if (first !== undefined) focusInView(first);
  };
  const mutation = useMutation({
    mutationFn: call,
    onSuccess: onDone,
    onError: (error) => form.setErrors(sort(asFailure(error).problems).errors),
  });
  // Not before the call has ended for the form too: a field that is locked meanwhile cannot take the focus.
  useLayoutEffect(() => {
    if (mutation.error !== null) focusFirst(sort(asFailure(mutation.error).problems).errors);
    // Once for each failure.
    // eslint-disable-next-line react/exhaustive-deps
  }, [mutation.error]);
  const others = mutation.error === null ? [] : sort(asFailure(mutation.error).problems).others;
  return {
    onSubmit: form.onSubmit((values) => {
      const unchosen = findUnchosen(values);
      if (Object.keys(unchosen).length === 0) mutation.mutate(values);
      else {
        form.setErrors(unchosen);
        focusFirst(unchosen);
      }
    }, focusFirst),
    pending: mutation.isPending,
    error: mutation.error,
    problems: others,
  };
}
