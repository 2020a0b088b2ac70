import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useLayoutEffect } from 'react';
import { type Problem, asFailure } from '../api/errors';
import { focusInView } from './focus-in-view';
import { toSentence } from './sentence';
import { findUnmatched } from './unmatched';

/** Converts `/address/line1` to `address.line1` and resolves the escapes of RFC 6901. */
export function toFieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

interface Sorting {
  /** Returns the form field of a pointer if the form uses different names. */
  toField?: (pointer: string) => string;
  render?: (problem: Problem, field: string) => ReactNode;
}

export interface SortedProblems {
  errors: Record<string, ReactNode>;
  others: Problem[];
}

/**
 * Separates problems of fields in the form from other problems.
 * @param values - The form's values; a pointer without a value has no field.
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

/** Returns the value of a field such as `address.line1`, or undefined. */
export function readField(values: object, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      values,
    );
}

/** Sorts elements by their position on the page. */
function comparePlaces(one: HTMLElement, other: HTMLElement): number {
  return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

type Submit = (event: FormEvent<HTMLFormElement>) => void;

/** Moves the focus to the submit button because a field is locked during the call and would lose the focus. */
export function withButtonFocus(onSubmit: Submit): Submit {
  return (event) => {
    (event.nativeEvent as SubmitEvent).submitter?.focus({ preventScroll: true });
    onSubmit(event);
  };
}

/**
 * Submits a form. Does nothing while a choice is incomplete. Shows the problems of fields next to them and focuses the
 * first one.
 * @returns `onSubmit` for the form, `pending` for its button, `error` and `problems` for an {@link ErrorAlert}
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
  // Runs after the call because a locked field cannot take the focus.
  useLayoutEffect(() => {
    if (mutation.error !== null) focusFirst(sort(asFailure(mutation.error).problems).errors);
    // Runs once per failure.
    // eslint-disable-next-line react/exhaustive-deps
  }, [mutation.error]);
  const others = mutation.error === null ? [] : sort(asFailure(mutation.error).problems).others;
  return {
    onSubmit: form.onSubmit((values) => {
      const unmatched = findUnmatched(values);
      if (Object.keys(unmatched).length === 0) mutation.mutate(values);
      else {
        form.setErrors(unmatched);
        focusFirst(unmatched);
      }
    }, focusFirst),
    pending: mutation.isPending,
    error: mutation.error,
    problems: others,
  };
}
