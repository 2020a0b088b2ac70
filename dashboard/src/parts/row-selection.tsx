import { Box, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

/** A checkbox for each row. */
export interface RowSelection<Row> {
  isSelected: (row: Row) => boolean;
  /** What the checkbox selects, for screen readers. */
  name: (row: Row) => string;
  onChange: (row: Row, isSelected: boolean) => void;
  /** While the rows are those of another list. */
  isDisabled?: boolean;
  /** Selects more at a time, and says what is selected; stays in view above the rows. */
  bar: ReactNode;
}

interface SelectBoxProps<Row> {
  row: Row;
  selection: RowSelection<Row>;
}

/** A checkbox whose label is its whole cell, so that a click next to it does not follow the row's link. */
export function SelectBox<Row>({ row, selection: { isSelected, name, onChange, isDisabled } }: SelectBoxProps<Row>) {
  return (
    <Box component="label" className={classes.select}>
      <Checkbox
        size="sm"
        aria-label={`Select ${name(row)}`}
        checked={isSelected(row)}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(row, currentTarget.checked)}
      />
    </Box>
  );
}
