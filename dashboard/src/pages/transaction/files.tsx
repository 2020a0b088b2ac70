import { Button, Menu } from '@mantine/core';
import { IconDownload, IconFileTypePdf } from '@tabler/icons-react';
import { fileAddress, type TransactionScope, type Transaction } from './use-transaction';

/** The document as its buyer gets it, and what proves how it came about. */
export function Files({ scope, transaction }: { scope: TransactionScope; transaction: Transaction }) {
  const isPrintable = transaction.validationUrl !== null;
  const pdf = fileAddress(scope, 'document.pdf');
  return (
    <>
      {isPrintable && (
        <Button
          component="a"
          href={pdf}
          // The first thing to do with a document that can be sent again is that.
          variant={transaction.mayResubmit ? 'default' : 'filled'}
          leftSection={<IconFileTypePdf size={16} aria-hidden />}
        >
          Download PDF
        </Button>
      )}
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
            Files
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {isPrintable && (
            <Menu.Item component="a" href={`${pdf}?view=print`} target="_blank" rel="noreferrer">
              Print
            </Menu.Item>
          )}
          <Menu.Item component="a" href={fileAddress(scope, 'evidence.zip')}>
            Evidence: request, document, responses, history
          </Menu.Item>
          <Menu.Item component="a" href={fileAddress(scope, 'request.json')}>
            Request
          </Menu.Item>
          {transaction.builtDocument !== null && (
            <Menu.Item component="a" href={fileAddress(scope, 'document.json')}>
              Built document
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
