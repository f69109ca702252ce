export { longDay as dayText } from '../../shared/i18n/dates.js';
