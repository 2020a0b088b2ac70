import { Button, Group } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Problem } from '../../api/errors';
import { sortProblems } from '../form';
import { formatTimesIn } from '../malaysian-time';
import { toSentence, withFullStop } from '../sentence';
import { findInput, listFieldActions, toInvoiceField } from './field-actions';
import { readProposals } from './proposals';
import type { InvoiceValues } from './values';

export type InvoiceForm = UseFormReturnType<InvoiceValues>;

/** Next to which field each problem stands, with a button for each value that its hint proposes; and the others. */
export function sortInvoiceProblems(form: Pick<InvoiceForm, 'setFieldValue'>, values: InvoiceValues) {
  const render = (problem: Problem, field: string): ReactNode => (
    <FieldProblem
      problem={problem}
      actions={listFieldActions(problem, field).map(({ label, run }) => ({
        label,
        run: () => {
          focusInput(field);
          run(form, field);
        },
      }))}
      onUse={(value) => {
        focusInput(field);
        form.setFieldValue(field, NUMBERS.test(field) ? Number(value) : value);
      }}
    />
  );
  return (problems: readonly Problem[]) => sortProblems(problems, values, { toField: toInvoiceField, render });
}

/** The button goes with the problem. */
function focusInput(field: string): void {
  findInput(field)?.focus({ preventScroll: true });
}

const NUMBERS = /\.(?:quantity|unitPrice|discount|lineTotal|tax(?:Amount|PerUnit|UnitCount)|total\w+Amount)$/;

interface FieldProblemProps {
  problem: Problem;
  actions: readonly { readonly label: string; readonly run: () => void }[];
  onUse: (value: string) => void;
}

function FieldProblem({ problem, actions, onUse }: FieldProblemProps) {
  const proposals = readProposals(problem.hint).map((value) => ({
    label: `Use ${formatTimesIn(value)}`,
    run: () => onUse(value),
  }));
  const buttons = [...proposals, ...actions];
  if (buttons.length === 0) return toSentence(problem);
  return (
    <>
      {withFullStop(toSentence(problem))}
      <Group component="span" gap={6} mt={4}>
        {buttons.map(({ label, run }) => (
          <Button key={label} size="compact-xs" variant="default" onClick={run}>
            {label}
          </Button>
        ))}
      </Group>
    </>
  );
}
