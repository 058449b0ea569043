#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
while :; do :; done
