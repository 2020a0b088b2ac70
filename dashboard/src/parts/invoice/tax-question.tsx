import { Button, Group, Text } from '@mantine/core';
import { formatAmount } from '../format';
import { Notice } from '../notice';
import { computeTax } from './values';

interface TaxQuestionProps {
  rate: number;
  /** Total of the line without tax; null while it is incomplete. */
  total: number | null;
  /** `rate` is null if the tax is a fixed amount. */
  onAnswer: (taxAmount: number, rate: number | null) => void;
}

/** Asks what a rate in the amount field means, so that 8% does not become RM 8. */
export function TaxQuestion({ rate, total, onAnswer }: TaxQuestionProps) {
  const tax = total === null ? null : computeTax(total, rate);
  return (
    <Notice kind="warning" title={`Is the tax ${rate}% of the line, or ${formatAmount(rate)}?`}>
      <Text size="sm" mb="xs">
        {total === null || tax === null
          ? 'Enter quantity and unit price first. The rate applies to them.'
          : `${rate}% of ${formatAmount(total)} is ${formatAmount(tax)}.`}
      </Text>
      <Group gap="xs">
        {tax !== null && (
          <Button size="xs" variant="default" onClick={() => onAnswer(tax, rate)}>
            {rate}%: {formatAmount(tax)}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => onAnswer(rate, null)}>
          The amount: {formatAmount(rate)}
        </Button>
      </Group>
    </Notice>
  );
}
