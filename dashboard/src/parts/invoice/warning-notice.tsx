import { List } from '@mantine/core';
import type { Ref } from 'react';
import type { components } from '../../api/schema';
import { Finding } from '../finding';
import { Notice } from '../notice';

export type Warning = components['schemas']['WarningDto'];

interface WarningNoticeProps {
  title: string;
  warnings: readonly Warning[];
  ref?: Ref<HTMLDivElement>;
}

/** What a submission is, or would be, accepted with. */
export function WarningNotice({ title, warnings, ref }: WarningNoticeProps) {
  return (
    <Notice kind="warning" title={title} ref={ref}>
      <List size="sm">
        {warnings.map(({ pointer, rule, message, hint }) => (
          <List.Item key={`${pointer} ${rule}`}>
            <Finding message={message} hint={hint} />
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}
