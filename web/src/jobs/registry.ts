/** Every job kind of these pages, one line each. */
export { kind as profile } from './profile';
export { kind as sentiment } from './sentiment';
export { kind as trainingConfig } from './training-config';
export { kind as waves } from './waves';
