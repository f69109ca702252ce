import { Modal } from 'antd';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientForm } from '../../../../../src/contract/clients/clients.js';
import {
  type ClientTemplate,
  clientTemplates,
  formOfTemplate,
} from '../../../../../src/contract/rules/clients/client-templates.js';
import { copiedForm } from '../../../../../src/contract/rules/clients/derived-forms.js';
import { useClientQuery } from '../../../api/clients/clients.js';
import { usePageQuery } from '../../../shared/addresses/page-query.js';
import { keptDraft } from '../../../shared/drafts/drafts.js';
import { freely } from '../../../shared/ui/overlays/record-sheet.js';
import { useModal } from '../../../shared/ui/overlays/use-modal.js';
import { Progress } from '../../../shared/ui/placeholders/progress.js';
import type { ClientContext } from '../client-context.js';
import styles from './add-client-dialog.module.css';
import { NewClient } from './new-client.js';
import { clientDraftName, draftOf } from './state/client-draft.js';
import type { KeptClientDraft } from './state/use-client-form.js';
import { TemplateChoice } from './template-choice.js';
import './words/en.js';

interface Beginning {
  start: ClientForm;
  copyOf?: string;
}

interface DialogProps {
  open: boolean;
  context: ClientContext;
  onClose: () => void;
  afterClose: () => void;
}

/**
 * A new client. The address names what it begins with: a template, or the client that is duplicated; otherwise that is
 * chosen first.
 */
export function AddClientDialog(props: DialogProps) {
  const wanted = usePageQuery().query.get('add');
  const last = useRef(wanted);
  // While it closes, the address does not name it any more.
  if (wanted !== null) last.current = wanted;
  const from = last.current ?? '';
  return /^[0-9a-f-]{36}$/.test(from) ? (
    <Duplicate key={from} id={from} {...props} />
  ) : (
    <Add key={from} template={clientTemplates.find((one) => one === from)} {...props} />
  );
}

function Add({ template, ...props }: DialogProps & { template: ClientTemplate | undefined }) {
  const draftName = clientDraftName('new');
  const [begun, setBegun] = useState<Beginning | null>(() => {
    const kept = keptDraft<KeptClientDraft>(draftName);
    if (kept) return { start: kept.base };
    return template ? { start: formOfTemplate(template) } : null;
  });
  const [returned, setReturned] = useState(false);
  return (
    <Frame
      {...props}
      draftName={draftName}
      begun={begun}
      onOtherKind={() => {
        setBegun(null);
        setReturned(true);
      }}
      before={<TemplateChoice focused={returned} onChoose={(start) => setBegun({ start })} onClose={props.onClose} />}
    />
  );
}

/** A new client with the settings of another one, as these are stored now. */
function Duplicate({ id, ...props }: DialogProps & { id: string }) {
  const { t } = useTranslation();
  const draftName = clientDraftName(`new:${id}`);
  const { data: client, isError } = useClientQuery(id);
  const begun = useRef<Beginning>(null);
  if (client) {
    const name = client.clientName || client.clientId;
    begun.current ??= { start: copiedForm(draftOf(client), t('clientAdd.copyName', { name })), copyOf: name };
  }
  if (isError && !begun.current) return <Add template={undefined} {...props} />;
  return <Frame {...props} draftName={draftName} begun={begun.current} before={<Progress />} />;
}

function Frame({
  open,
  context,
  draftName,
  begun,
  before,
  onOtherKind,
  onClose,
  afterClose,
}: DialogProps & {
  draftName: string;
  begun: Beginning | null;
  before: ReactNode;
  onOtherKind?: () => void;
}) {
  const { t } = useTranslation();
  const leaving = useRef(freely);
  const body = useRef<HTMLDivElement>(null);
  useModal(body, { open, modal: true });
  return (
    <Modal
      open={open}
      centered
      width={begun ? 1040 : 720}
      className={begun ? styles.dialog : styles.choosing}
      classNames={{ container: styles.container, header: styles.header, body: styles.body }}
      title={t('clients.add')}
      closable={false}
      mask={{ closable: false }}
      scrollLock={false}
      destroyOnHidden
      onCancel={() => leaving.current.leave(onClose)}
      afterClose={afterClose}
      // Ant Design takes the focus to what comes first, which is a step.
      afterOpenChange={(opened) => {
        const first = begun ? 'form input, form textarea' : 'li > button';
        if (opened) body.current?.querySelector<HTMLElement>(first)?.focus();
      }}
      footer={null}
    >
      <div ref={body} className={styles.body}>
        {begun ? (
          <NewClient
            {...begun}
            draftName={draftName}
            context={context}
            leaving={leaving}
            onOtherKind={onOtherKind}
            onClose={onClose}
          />
        ) : (
          before
        )}
      </div>
    </Modal>
  );
}
