import { Button, Group } from '@mantine/core';
import type { UseFormInput, UseFormReturnType } from '@mantine/form';
import { createContext, type ReactNode, use } from 'react';
import type { Problem } from '../../api/errors';
import { sortProblems } from '../form';
import { formatTimesIn } from '../malaysian-time';
import { toSentence, withFullStop } from '../sentence';
import { type FieldActions, findInput, listFieldActions, toInvoiceField } from './field-actions';
import { readProposals } from './proposals';
import type { InvoiceValues } from './values';

export type InvoiceForm = UseFormReturnType<InvoiceValues>;

/**
 * Sorts problems by field and renders buttons for the fixes that their hints propose.
 * @param actions further actions of this form
 */
export function sortInvoiceProblems(form: FieldProblemProps['form'], values: InvoiceValues, actions?: FieldActions) {
  const render = (problem: Problem): ReactNode => <FieldProblem problem={problem} form={form} actions={actions} />;
  return (problems: readonly Problem[]) => sortProblems(problems, values, { toField: toInvoiceField, render });
}

const Field = createContext('');

/** Provides a problem with its current field, which changes when an earlier line is removed. */
export const withField: UseFormInput<InvoiceValues>['enhanceGetInputProps'] = ({ inputProps: { error }, field }) => ({
  error: error === undefined ? undefined : <Field value={field}>{error}</Field>,
});

/** Moves the focus to the input because the button disappears together with the problem. */
function focusInput(field: string): void {
  findInput(field)?.focus({ preventScroll: true });
}

const NUMBERS = /\.(?:quantity|unitPrice|discount|lineTotal|tax(?:Amount|PerUnit|UnitCount)|total\w+Amount)$/;

interface FieldProblemProps {
  problem: Problem;
  form: Pick<InvoiceForm, 'setFieldValue'>;
  actions?: FieldActions;
}

function FieldProblem({ problem, form, actions: actionsOfForm }: FieldProblemProps) {
  const field = use(Field);
  const proposals = readProposals(problem.hint).map((value) => ({
    label: `Use ${formatTimesIn(value)}`,
    run: () => form.setFieldValue(field, NUMBERS.test(field) ? Number(value) : value),
  }));
  const actions = listFieldActions(problem, field, actionsOfForm).map(({ label, run }) => ({
    label,
    run: () => run(form, field),
  }));
  const buttons = [...proposals, ...actions];
  if (buttons.length === 0) return toSentence(problem);
  return (
    <>
      {withFullStop(toSentence(problem))}
      <Group component="span" gap={6} mt={4}>
        {buttons.map(({ label, run }) => (
          <Button
            key={label}
            size="compact-xs"
            variant="default"
            onClick={() => {
              focusInput(field);
              run();
            }}
          >
            {label}
          </Button>
        ))}
      </Group>
    </>
  );
}
