# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and find_package(nicsim) are described here.
