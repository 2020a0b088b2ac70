import { Button, Menu } from '@mantine/core';
import { IconDownload, IconFileTypePdf } from '@tabler/icons-react';
import { fileAddress, type TransactionScope, type Transaction } from './use-transaction';

/** Shows downloads of the PDF and of the evidence. */
export function Files({ scope, transaction }: { scope: TransactionScope; transaction: Transaction }) {
  const isPrintable = transaction.validationUrl !== null;
  const pdf = fileAddress(scope, 'document.pdf');
  return (
    <>
      {isPrintable && (
        <Button
          component="a"
          href={pdf}
          // Resubmission is the primary action of a failed document.
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
