// SPDX-License-Identifier: Apache-2.0
// A scenario put together, as the runner sees it: something that simulates, has statistics and can
// say what came through.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/bottleneck.h"
#include "scenarios/bound.h"
#include "scenarios/dead_function.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"
#include "waves/pcapng.h"

namespace nicsim::pcie {
class Link;
}  // namespace nicsim::pcie

namespace nicsim::scenarios {

/// What one workload got through while measured.
struct Flow {
    std::string name;
    std::string type;
    double goodput = 0.0;  ///< bit/s of payload at the receiver
    std::uint64_t packets = 0;
    std::uint64_t lost = 0;
    std::uint64_t wrong = 0;  ///< packets whose bytes are not those that were sent
};

struct Loss {
    std::string path;   ///< of the counter
    std::string cause;  ///< its sentence
    std::uint64_t packets = 0;
    std::string unit = "packets";
};

/// One of several named ports, as results show it.
struct PortReport {
    std::string name;
    std::uint64_t packets = 0;  ///< put on the wire while measured
    const std::vector<ChainLink>* chain = nullptr;
};

/// A register that the model does not have and that software touched all the same.
struct UnmodelledRegister {
    std::uint32_t offset = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
};

class Machine {
public:
    virtual ~Machine() = default;

    /// Of a port without a name, or of each of several.
    struct PortLives {
        std::string port;
        sim::LifeCycle* lives = nullptr;
    };
    [[nodiscard]] virtual std::vector<PortLives> lives() = 0;
    [[nodiscard]] virtual sim::StatGroup& stats() = 0;
    /// The device is up and every workload that starts at once has been started.
    [[nodiscard]] virtual bool running() const = 0;
    /// Why the set-up failed; empty if it did not.
    [[nodiscard]] virtual std::string failure() const = 0;
    /// The warm-up is over.
    virtual void begin_measurement() = 0;

    [[nodiscard]] virtual std::vector<Flow> flows() const = 0;
    [[nodiscard]] virtual std::vector<Loss> losses() const = 0;
    [[nodiscard]] virtual std::vector<UnmodelledRegister> unmodelled() const = 0;
    [[nodiscard]] virtual const std::vector<ChainLink>& chain() const = 0;
    /// Empty if the machine has one port without a name.
    [[nodiscard]] virtual std::vector<PortReport> ports() const { return {}; }
    /// What the user should know though the run has ended as it should.
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    /// Functions that lost their link and were not set up again.
    [[nodiscard]] virtual std::vector<DeadFunction> dead_functions() const { return {}; }
    /// Every PCIe link there is: of devices, and of a switch to the host.
    [[nodiscard]] virtual std::vector<pcie::Link*> links() { return {}; }
    /// Packets that the device put on the wire while measured.
    [[nodiscard]] virtual std::uint64_t packets() const = 0;
};

/// Builds the machine of a scenario; frames on the wire go to `capture` too, if there is one.
/// Throws InputError if the parts do not fit together.
std::unique_ptr<Machine> assemble(const BoundBlock& scenario,
                                  waves::PcapngWriter* capture = nullptr);

}  // namespace nicsim::scenarios
