import { Box, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface RowSelection<Row> {
  isSelected: (row: Row) => boolean;
  /** Returns the accessible name of the checkbox. */
  name: (row: Row) => string;
  onChange: (row: Row, isSelected: boolean) => void;
  isDisabled?: boolean;
  /** Shows the number of selected rows. It stays visible above the rows. */
  bar: ReactNode;
}

interface SelectBoxProps<Row> {
  row: Row;
  selection: RowSelection<Row>;
}

/** The label fills the cell, so that a click next to the checkbox does not follow the row's link. */
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
