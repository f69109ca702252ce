import './words/en.js';
import { LeftOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';
import { stepPages } from '../../../../src/contract/rules/pages.js';
import { knownReturnUrl, returnUrlOf, withReturnUrl } from '../../shared/addresses/return-url.js';
import styles from './family.module.css';

/**
 * Where a page leads back to: to *Who is this for?* of an app's request, which waits meanwhile, or to *Family and
 * carers*.
 */
export function useWayBack() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  const request = target?.onServer ? target.address : null;
  const to = request === null ? '/user/family' : withReturnUrl(stepPages['launch-context'], request);
  return {
    to,
    isRequest: request !== null,
    goBack: () => navigate(to),
    /** Another page about a request to the hospital, which leads back there, too. */
    aside: (path: string) => withReturnUrl(path, request),
  };
}

export function BackLink() {
  const { t } = useTranslation();
  const { to, isRequest } = useWayBack();
  return (
    <Link to={to} className={styles.back}>
      <LeftOutlined aria-hidden /> {t(isRequest ? 'family.backToChoice' : 'family.back')}
    </Link>
  );
}
