import { ArrowRightOutlined } from '@ant-design/icons';
import { skipToken } from '@reduxjs/toolkit/query';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ContinuationFault, EndedAuthorization } from '../../../../src/contract/authorization.js';
import type { ErrorKind } from '../../../../src/contract/rules/pages.js';
import { useEndedAuthorizationQuery } from '../../api/authorization.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import ReferenceCard from '../../shared/ui/flow/reference-card.js';
import { ProductMark } from '../../shared/ui/marks/brand-mark.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import styles from './error-page.module.css';
import './words/en.js';

interface Props {
  kind: ErrorKind;
  heading: ReactNode;
  text: ReactNode;
  /** The way on where the app is not known. */
  home: ReactNode;
  /** The address of the app's request that cannot continue; null if no request is known. */
  returnUrl: string | null;
}

/** An error on the way of an app's request: names the app where it is known, and the reference of the launch. */
export default function FlowError({ kind, heading, text, home, returnUrl }: Props) {
  const { t } = useTranslation();
  const { data: ended, isLoading } = useEndedAuthorizationQuery(returnUrl === null ? skipToken : { returnUrl });
  const known = reasonInDocument() ?? ended?.reason;
  const reason = kind === 'badRequest' && known && <p className={styles.text}>{t(`launchError.reasons.${known}`)}</p>;
  if (!ended?.clientName) {
    return (
      <>
        <ProductMark size={44} />
        {heading}
        {reason}
        <p className={styles.text}>{text}</p>
        {!isLoading && home}
        <ReferenceCard returnUrl={returnUrl} />
      </>
    );
  }
  const client = isolateName(ended.clientName);
  return (
    <>
      <div className={styles.marks}>
        <Monogram name={ended.clientName} size={44} />
        <ArrowRightOutlined aria-hidden className={styles.arrow ?? ''} />
        <ProductMark size={44} />
      </div>
      {heading}
      <p className={styles.cause}>
        {t(kind === 'throttled' ? 'launchError.throttled' : 'launchError.ended', { client })}
      </p>
      {reason}
      <p className={styles.text}>{text}</p>
      <WaysOn {...ended} clientName={ended.clientName} home={home} />
      <ReferenceCard returnUrl={returnUrl} />
    </>
  );
}

/** On with the request that still waits, or to the address at which the app is started. */
function WaysOn({
  clientName,
  goesOnAt,
  startUrl,
  home,
}: Pick<Props, 'home'> & Pick<EndedAuthorization, 'goesOnAt' | 'startUrl'> & { clientName: string }) {
  const { t } = useTranslation();
  const client = isolateName(clientName);
  const forward = goesOnAt ?? startUrl;
  if (!forward) return home;
  return (
    <div className={styles.stacked}>
      <Button type="primary" block href={forward}>
        {t(goesOnAt ? 'launchError.goOn' : 'launchError.startAgain', { client })}
      </Button>
      <Button type="link" block href={portalPath('/')}>
        {t('errorPages.home')}
      </Button>
    </div>
  );
}

/** The reason in the document that the server answered with. */
function reasonInDocument(): ContinuationFault | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name="gatehouse-reason"]')?.content as
    | ContinuationFault
    | undefined;
}
