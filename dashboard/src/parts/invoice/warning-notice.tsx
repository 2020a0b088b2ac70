import { Button, List } from '@mantine/core';
import type { Ref } from 'react';
import type { components } from '../../api/schema';
import { Finding } from '../finding';
import { Notice } from '../notice';
import { describeField } from '../field-names';
import { describeWarning } from '../sentence';
import { isFieldPointer } from './field-actions';

export type Warning = components['schemas']['WarningDto'];

interface WarningNoticeProps {
  title: string;
  warnings: readonly Warning[];
  /** Focuses the form field of a pointer. */
  onGoTo?: (pointer: string) => void;
  ref?: Ref<HTMLDivElement>;
}

export function WarningNotice({ title, warnings, onGoTo, ref }: WarningNoticeProps) {
  return (
    <Notice kind="warning" title={title} ref={ref}>
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={`${warning.pointer} ${warning.rule}`}>
            <Finding {...describeWarning(warning)} />{' '}
            {onGoTo !== undefined && isFieldPointer(warning.pointer) && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Go to the field: ${describeField(warning.pointer)}`}
                onClick={() => onGoTo(warning.pointer)}
              >
                Go to the field
              </Button>
            )}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}
