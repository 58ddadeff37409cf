import { mount } from 'svelte';
import App from './App.svelte';
import './design/tokens/tokens.css';
import './design/tokens/base.css';
import './design/tokens/control.css';

mount(App, { target: document.getElementById('app')! });
