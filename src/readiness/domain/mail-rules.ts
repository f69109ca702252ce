import { type Message, message } from '../../contract/messages/message.js';
import { day, type Finding, hour, minute, pass, roughly, setting } from './finding.js';

export interface MailServer {
  host: string;
  isLocal: boolean;
  usesTls: boolean;
}

export interface WaitingMails {
  count: number;
  oldestSeconds: number;
}

/** The latest test mail. */
export interface TestMail {
  to: string;
  sentSecondsAgo: number;
  /** True until the mail server has accepted it. */
  isWaiting: boolean;
  /** Undefined until its link was followed. */
  confirmedSecondsAgo: number | undefined;
}

const lateAfter = 10 * minute;
const blockedAfter = hour;
const confirmedFor = 90 * day;

/** `isTrial`: the portal can be reached from its own machine only. */
export function mailServer(server: MailServer | undefined, isTrial: boolean): Finding {
  if (!server) {
    return {
      state: isTrial ? 'improve' : 'blocking',
      finding: message('readiness-mail-server-none'),
      advice: message('readiness-mail-server-do'),
      remedy: setting('email.smtp'),
    };
  }
  const { host, isLocal, usesTls } = server;
  if (usesTls || isLocal) return pass(message('readiness-mail-server-pass', { host }));
  return {
    state: 'improve',
    finding: message('readiness-mail-server-plain', { host }),
    advice: message('readiness-mail-server-plain-do'),
    remedy: setting('email.smtp.security'),
  };
}

export function mailQueue({ count, oldestSeconds }: WaitingMails): Finding {
  if (count === 0 || oldestSeconds <= lateAfter) return pass(message('readiness-mail-queue-pass'));
  return {
    state: oldestSeconds > blockedAfter ? 'blocking' : 'improve',
    finding: message('readiness-mail-queue-waiting', { count, duration: roughly(oldestSeconds) }),
    advice: message('readiness-mail-queue-do'),
    remedy: setting('email.smtp'),
  };
}

/** A mail server says that it has accepted a mail; only a reader can say that it has arrived. */
export function mailTest(sent: TestMail | undefined, hasServer: boolean): Finding {
  if (!hasServer) return withoutServer(message('readiness-mail-server-none'));
  const remedy = { kind: 'test-mail' } as const;
  if (!sent) {
    return {
      state: 'improve',
      finding: message('readiness-mail-test-none'),
      advice: message('readiness-mail-test-none-do'),
      remedy,
    };
  }
  const { to, sentSecondsAgo, isWaiting, confirmedSecondsAgo } = sent;
  if (confirmedSecondsAgo !== undefined) {
    const duration = roughly(confirmedSecondsAgo);
    if (confirmedSecondsAgo <= confirmedFor) {
      return { ...pass(message('readiness-mail-test-pass', { duration })), remedy };
    }
    return {
      state: 'improve',
      finding: message('readiness-mail-test-old', { duration }),
      advice: message('readiness-mail-test-none-do'),
      remedy,
    };
  }
  const details = { to, duration: roughly(sentSecondsAgo) };
  return {
    state: 'improve',
    finding: isWaiting
      ? message('readiness-mail-test-waiting', details)
      : message('readiness-mail-test-unconfirmed', details),
    advice: isWaiting ? message('readiness-mail-queue-do') : message('readiness-mail-test-do'),
    remedy,
  };
}

export function mailSender(address: string | undefined, host: string, isTrial: boolean): Finding {
  if (address === undefined) return withoutServer(message('readiness-mail-sender-none'));
  if (isTrial) {
    return {
      state: 'unknown',
      finding: message('readiness-mail-sender-local', { address }),
      advice: message('readiness-mail-sender-local-do'),
      remedy: setting('email.from'),
    };
  }
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  if (sharesDomain(domain, host.toLowerCase())) return pass(message('readiness-mail-sender-pass', { address }));
  return {
    state: 'improve',
    finding: message('readiness-mail-sender-other', { address, host }),
    advice: message('readiness-mail-sender-do'),
    remedy: setting('email.from'),
  };
}

function withoutServer(finding: Message): Finding {
  return { state: 'unknown', finding, advice: message('readiness-mail-server-do'), remedy: setting('email.smtp') };
}

/** True for `hospital.example` and `login.hospital.example`, and for two names below one of at least two labels. */
function sharesDomain(one: string, other: string): boolean {
  const [shorter = '', longer = ''] = [one, other].sort((a, b) => a.length - b.length);
  const parent = shorter.split('.').slice(1).join('.');
  return (
    longer === shorter || longer.endsWith(`.${shorter}`) || (parent.includes('.') && longer.endsWith(`.${parent}`))
  );
}
